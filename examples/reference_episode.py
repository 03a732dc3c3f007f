"""A complete SID-2 episode: the model searches, reads, and reports the documents that help.

Run it with ``SID_API_KEY=... python examples/reference_episode.py "your question"``. It needs ``sid-native[openai]``.
The corpus is the language reference that ships inside CPython, indexed in memory.
"""

import sys
from pydoc_data.topics import topics

from sid.backends import Corpus, SqliteBackend
from sid.episode import Episode, EpisodeError, replay

QUESTION = "What happens to an exception that is raised inside a with statement?"

# How the model should use the tools: a call of each, written for this corpus.
TOOL_EXAMPLES = [
    {
        "caption": "Example: distinctive words that a matching topic would contain",
        "name": "text_search",
        "arguments": {"query": "lambda precedence conditional expression", "limit": 5},
    },
    {
        "caption": "Example: read on where a snippet breaks off",
        "name": "read",
        "arguments": {"id": "123456#800:1600"},
    },
    {
        "caption": "Example: report what helps, the most helpful first",
        "name": "report_helpful_ids",
        "arguments": {"ids": ["123456", "654321#0:240"]},
    },
]


def main() -> None:
    """Run an episode, show it as it happens, and run it again from what was recorded."""
    question = " ".join(sys.argv[1:]) or QUESTION

    # 1. What can be searched. Anything with search(query, *, limit, filters=None) is a backend; see own_backend.py.
    index = SqliteBackend()
    index.add({"id": name, "title": name, "content": text} for name, text in topics.items())
    corpus = Corpus(contents="The reference of the Python language, a topic a document.", text_search=index)

    # 2. The episode. Its tools come from the corpora: here text_search, read and report_helpful_ids.
    #    The client is the openai package on SID_BASE_URL; pass client=... to use another or to share one.
    episode = Episode(
        question,
        corpora=corpus,
        reward="f1",  # the right set of documents; "ndcg" for the right order
        reasoning_effort="low",
        max_turns=10,
        tool_examples=TOOL_EXAMPLES,
        on_event=show,
    )

    # 3. The loop: each turn the model's calls are made, and it is shown the results, until it reports.
    result = episode.run()
    index.close()

    # 4. What came of it: ids of your documents, resolved from the short ids that the model uses.
    print(f"\n{result.ended} after {result.turns} turns; tokens: {result.usage}")
    for data_id in result.data_ids:
        print(f"- {data_id}: {len(result.cache.get_document(data_id)['content']):,} characters")

    # 5. What happened can be run again without network; transcript="file.jsonl" writes it to a file as it happens.
    again = replay(result.transcript)
    assert again.data_ids == result.data_ids


def show(event: dict) -> None:
    """Print what the model does and what it is shown."""
    if event["event"] == "turn":
        print(f"\n--- turn {event['turn']} of {event['of']}")
    elif event["event"] == "call":
        print(f"\n>>> {event['name']} {event['arguments']}")
    elif event["event"] == "observation":
        print(f"\n{event['output']}")


if __name__ == "__main__":
    try:
        main()
    except EpisodeError as error:  # no key, or the model's service failed
        sys.exit(f"{type(error).__name__}: {error}")
