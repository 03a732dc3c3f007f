"""Two corpora behind one cache: each has tools of its own, and one read serves documents of both.

It uses the parts by themselves, a `CorpusRouter` and a `DocumentCache`; `sid.episode.Episode` puts them together, with
a model that makes the calls.

Run it with ``python examples/multi_corpus.py``. It needs nothing but sid-native.

To move to a cluster, change one line, the one that makes an index, to::

    return QdrantBackend(QdrantClient(url="https://qdrant.example.org:6333", api_key=KEY), name)
"""

from sid import DocumentCache, parse_rendered_model_facing_id
from sid.backends import Corpus, CorpusRouter, SqliteBackend

EMAIL = [
    {
        "id": "<7:1#a@example.org>",
        "title": "Budget",
        "author": "Ada",
        "sent": "2024-03-01",
        "content": "The owl budget.",
    },
    {
        "id": "<7:2#b@example.org>",
        "title": "Lunch",
        "author": "Bob",
        "sent": "2024-05-02",
        "content": "Mice for lunch?",
    },
]
DOCUMENTS = [
    {"id": "<7:1#a@example.org>", "title": "Owls", "content": "An owl hunts at night and hears a mouse under snow."},
    {"id": "kites.md", "title": "Kites", "content": "A kite hunts by day and sees heat."},
]


def made_index(name: str) -> SqliteBackend:
    """Make the index of a corpus."""
    return SqliteBackend()  # in memory; SqliteBackend(f"{name}.sqlite") is in a file


def main() -> None:
    """Search both corpora as a model would, read what was found, and say whose documents they are."""
    email, documents = made_index("email"), made_index("documents")
    email.add(EMAIL)
    documents.add(DOCUMENTS)
    time = {"type": "string", "description": "ISO 8601, such as 2024-05-31."}
    router = CorpusRouter(
        [
            Corpus("email", "Mail of the last ten years.", text_search=email, filters={"sent_after": time}),
            Corpus("documents", "Notes on birds.", text_search=documents),
        ]
    )
    cache = DocumentCache()
    references = []
    for tool, query, filters in (
        ("email_text_search", "owl or lunch", {"sent_after": "2024-02"}),
        ("documents_text_search", "which owl hunts at night", {}),
    ):
        print(f">>> {tool}({query!r}, **{filters})")
        corpus, mode = router.tool_names()[tool]
        backend = corpus.backend(mode)
        assert backend is not None
        for hit in backend.search(query, limit=3, filters=filters):
            # Both corpora have a document of this id; in the cache they are two.
            data_id = router.data_id(corpus.name, hit["id"])
            references.append(cache.add_document(data_id, {name: hit[name] for name in hit if name != "id"}))
            view = cache.apply_snippet(data_id, "content", query)
            print(view.render_xml())
            cache.update_seen(view)
    for reference in references:
        # The id alone says which corpus the document is of. What is read is shown even where it was seen before.
        asked = f"{reference}#0:20"
        print(f">>> read({asked!r})")
        model_id, span = parse_rendered_model_facing_id(asked)
        data_id = cache.to_data_id(model_id)
        view = cache.get_single_span_document_view(data_id, "content", span)
        print(view.render_xml())
        cache.update_seen(view)
        corpus_name, original_id = router.resolve(data_id)
        print(f"{reference} is {original_id!r} of {corpus_name}")
    email.close()
    documents.close()


if __name__ == "__main__":
    main()
