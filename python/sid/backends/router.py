"""Several corpora behind one cache: whose document an id is, and where a tool searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from .corpus import Corpus

__all__ = ["CorpusRouter"]

SEPARATOR = ":"
"""Between corpus and original id in a data id. No corpus name holds it, so the first one parts them."""


class CorpusRouter:
    """The corpora of one `DocumentCache`.

    Parameters
    ----------
    corpora
        One that may be without a name, or several with different names.

    Attributes
    ----------
    corpora : tuple[Corpus, ...]
        As given.

    Raises
    ------
    TypeError
        If one is no `Corpus`.
    ValueError
        If there is no corpus, one of several has no name, two share a name, or two tools would share one.

    Examples
    --------
    >>> from sid.backends import SqliteBackend
    >>> email, documents = SqliteBackend(), SqliteBackend()
    >>> router = CorpusRouter([Corpus("email", text_search=email), Corpus("documents", text_search=documents)])
    >>> list(router.tool_names())
    ['email_text_search', 'documents_text_search']
    >>> router.data_id("email", "<1:2#3@example.org>")
    'email:<1:2#3@example.org>'
    >>> router.resolve("email:<1:2#3@example.org>")
    ('email', '<1:2#3@example.org>')
    >>> email.close(); documents.close()
    """

    def __init__(self, corpora: Sequence[Corpus]) -> None:
        try:
            self.corpora = tuple(corpora)
        except TypeError:
            raise TypeError(f"corpora must be a sequence of Corpus, got {corpora!r:.80}") from None
        if odd := [corpus for corpus in self.corpora if not isinstance(corpus, Corpus)]:
            raise TypeError(f"corpora must be of Corpus, got {odd[0]!r:.80}; give Corpus(text_search=backend)")
        if not self.corpora:
            raise ValueError("there must be at least one corpus")
        if len(self.corpora) > 1 and any(corpus.name is None for corpus in self.corpora):
            raise ValueError("each of several corpora must have a name")
        self._by_name = {corpus.name: corpus for corpus in self.corpora}
        if len(self._by_name) < len(self.corpora):
            names = [corpus.name for corpus in self.corpora]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"two corpora are called {twice!r}; names must be unique")
        self._tools: dict[str, tuple[Corpus, str]] = {}
        for corpus in self.corpora:
            for mode in corpus.modes():
                name = mode if corpus.name is None else f"{corpus.name}_{mode}"
                if name in self._tools:
                    other = self._tools[name][0].name
                    raise ValueError(
                        f"corpora {other!r} and {corpus.name!r} would both have a tool {name!r}; rename one"
                    )
                self._tools[name] = corpus, mode

    def tool_names(self) -> Mapping[str, tuple[Corpus, str]]:
        """Give the search tools by name: the corpus and the retrieval mode, ``"search"`` or ``"text_search"``."""
        return MappingProxyType(self._tools)

    def corpus(self, name: str | None) -> Corpus:
        """Give the corpus of a name.

        Raises
        ------
        KeyError
            If there is none.
        """
        try:
            return self._by_name[name]
        except (KeyError, TypeError):
            known = ", ".join(repr(corpus.name) for corpus in self.corpora)
            raise KeyError(f"there is no corpus {name!r:.80}; there are: {known}") from None

    def data_id(self, corpus: str | None, original_id: str) -> str:
        """Give the id under which a document of a corpus is registered in the cache.

        Returns
        -------
        str
            ``corpus:original_id``, or the plain original id where there is one corpus without a name.

        Raises
        ------
        KeyError
            If there is no such corpus.
        TypeError
            If the original id is not a ``str``.
        """
        name = self.corpus(corpus).name
        if not isinstance(original_id, str):
            raise TypeError(f"an original id must be a str, got {original_id!r:.80}")
        return original_id if name is None else f"{name}{SEPARATOR}{original_id}"

    def resolve(self, data_id: str) -> tuple[str | None, str]:
        """Give the corpus and the original id of a data id.

        Raises
        ------
        KeyError
            If it is of no corpus.
        TypeError
            If it is not a ``str``.
        """
        if not isinstance(data_id, str):
            raise TypeError(f"a data id must be a str, got {data_id!r:.80}")
        if None in self._by_name:
            return None, data_id
        name, separator, original_id = data_id.partition(SEPARATOR)
        if not separator:
            raise KeyError(f"the data id {data_id!r:.80} names no corpus; it must be corpus:original_id")
        return self.corpus(name).name, original_id
