"""``sid episode``: a whole episode of SID-2 on indexes, and the documents that it reports."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ._indexes import CannotStart, mended, open_index

if TYPE_CHECKING:
    from ..backends.corpus import Corpus
    from ..episode import Episode, EpisodeResult, Event

__all__ = ["run"]

_NAMED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)


def run(arguments: argparse.Namespace) -> int:
    """Run an episode; give 0 if it reports, 1 if it ends otherwise or something fails, 2 if it cannot start."""
    from ..episode import EpisodeError
    from ..episode.client import KEY_VARIABLE

    try:
        if not os.environ.get(KEY_VARIABLE):
            raise CannotStart(f"{KEY_VARIABLE} is not set: set it to your API key, as in export {KEY_VARIABLE}=...")
        if arguments.transcript is not None and os.path.lexists(arguments.transcript):
            raise CannotStart(f"the transcript {arguments.transcript!r} exists: name another file")
        with contextlib.ExitStack() as stack:
            corpora, language = _corpora(arguments, stack)
            try:
                episode = _episode(arguments, corpora, language)
            except ValueError as error:
                raise CannotStart(str(error)) from None
            result = episode.run()
            _print(result, as_json=arguments.json)
    except (CannotStart, ImportError) as error:
        print(f"sid episode: {error}", file=sys.stderr)
        return 2
    except EpisodeError as error:
        print(f"sid episode: {error}", file=sys.stderr)
        # The kinds of it are of episodes that have begun.
        return 2 if type(error) is EpisodeError else 1
    if result.ended == "reported":
        return 0
    print(f"sid episode: nothing was reported: {result.detail}", file=sys.stderr)
    return 1


def _corpora(arguments: argparse.Namespace, stack: contextlib.ExitStack) -> tuple[list[Corpus], str]:
    """Open the indexes; give a corpus of each, and whose stopwords to drop."""
    from ..backends.corpus import Corpus

    contents = dict(map(_named, arguments.contents))
    corpora, languages = [], set()
    for name, path in map(_named, arguments.index):
        index = stack.enter_context(open_index(path, vectors=arguments.vectors))
        languages.add(index.language)
        semantic = index.semantic() if arguments.vectors else None
        if semantic is not None:
            with mended():
                semantic.load()  # found out before the model is asked
        try:
            corpora.append(Corpus(name, contents.pop(name, ""), search=semantic, text_search=index))
        except ValueError as error:
            raise CannotStart(str(error)) from None
    if contents:
        raise CannotStart(f"--contents names a corpus that no --index has: {', '.join(map(str, contents))}")
    return corpora, languages.pop() if len(languages) == 1 else "generic"


def _named(text: str) -> tuple[str | None, str]:
    """Read ``[NAME=]VALUE``."""
    match = _NAMED.fullmatch(text)
    return (match[1], match[2]) if match else (None, text)


def _episode(arguments: argparse.Namespace, corpora: list[Corpus], language: str) -> Episode:
    from ..episode import Episode

    return Episode(
        arguments.question,
        corpora=corpora,
        model=arguments.model,
        max_turns=arguments.max_turns,
        reward=arguments.reward,
        reasoning_effort=arguments.effort,
        default_limit=arguments.limit,
        language=language,
        transcript=arguments.transcript,
        on_event=_progress if sys.stderr is not None and sys.stderr.isatty() else None,
    )


def _progress(event: Event) -> None:
    """Tell someone who waits what is going on."""
    if event["event"] == "turn":
        print(f"turn {event['turn']} of {event['of']}", file=sys.stderr)
    elif event["event"] == "call":
        print(f"  {event['name']} {event['arguments']}"[:200], file=sys.stderr)


def _print(result: EpisodeResult, *, as_json: bool) -> None:
    documents = [
        {"data_id": data_id, "corpus": corpus, "id": original_id}
        for data_id, (corpus, original_id) in zip(result.data_ids, result.sources, strict=True)
    ]
    if as_json:
        record: dict[str, Any] = {
            "ended": result.ended,
            "detail": result.detail,
            "turns": result.turns,
            "reported": documents,
            "usage": asdict(result.usage) if result.usage else None,
        }
        print(json.dumps(record))
        return
    for rank, document in enumerate(documents, start=1):
        title = result.cache.get_document(document["data_id"]).get("title")
        print(f"{rank}. {document['data_id']}" + (f"  {title}" if isinstance(title, str) else ""))
