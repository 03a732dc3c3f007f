"""A read shows 10,000 characters at most, however it is asked for."""

from __future__ import annotations

import html
import re

import pytest

from sid.backends import Corpus
from sid.episode import READ_CHARACTERS

from .corpora import WordBackend
from .service import call
from .test_contract import ids_in, outputs

TEXTS = {
    "ascii": lambda length: ("owls " * length)[: length - 1] + "!",
    "ideographs": lambda length: "owls " + "日本語の𝔘𝕟𝕚" * length,
    "escapes": lambda length: "owls " + "<&> a b " * length,
}


def read(run, text: str, reference: str) -> tuple[str, tuple[int, int], list[tuple[int, int]]]:
    """Read and give what was shown, its range, and the ledger."""
    shown: list[str] = []

    def model(turn, conversation):
        if turn == 1:
            return [call("text_search", {"query": "owls", "snippet_size": 1})]
        known = ids_in(outputs(conversation)[0])[0]
        if turn == 2:
            return [call("read", {"id": known + reference})]
        shown.append(outputs(conversation)[1])
        return [call("report_helpful_ids", {"ids": [known]})]

    corpus = Corpus(text_search=WordBackend([{"id": "d", "content": text}]))
    result = run(model, corpora=corpus)
    tag, body = re.fullmatch(r"(<doc [^\n]*>)\n(.*)\n</doc>", shown[0], re.DOTALL).groups()
    assert f"doc_length={len(text)}" in tag
    found = re.match(r'<doc id="\d+#(\d+):(\d+)"', tag)
    span = (int(found[1]), int(found[2])) if found else (0, len(text))
    if span[0] > 0:
        body = body.removeprefix("... ")
    if span[1] < len(text):
        body = body.removesuffix(" ...")
    return html.unescape(body), span, result.cache.seen_ledger["d"]


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("length", [9_999, 10_000, 10_001])
@pytest.mark.parametrize("form", ["bare", "whole", "beyond", "negative"])
def test_around_the_cap(run, kind, length, form) -> None:
    text = TEXTS[kind](length)[:length]
    assert len(text) == length
    reference = {"bare": "", "whole": f"#0:{length}", "beyond": "#0:99999999", "negative": "#-5:99999999"}[form]
    shown, span, seen = read(run, text, reference)
    assert span == (0, min(length, READ_CHARACTERS))
    assert shown == text[: span[1]]
    assert seen == [span]


@pytest.mark.parametrize(
    ("start", "end", "shown_span"),
    [
        (5, 10_004, (5, 10_004)),
        (5, 10_005, (5, 10_005)),
        (5, 10_006, (5, 10_005)),
        (5, 10**12, (5, 10_005)),
        (14_999, 40_000, (14_999, 24_999)),
        (15_000, 40_000, (15_000, 25_000)),
        (15_001, 40_000, (15_001, 25_000)),
    ],
)
def test_ranges(run, start, end, shown_span) -> None:
    text = TEXTS["ideographs"](4_000)[:25_000]
    shown, span, seen = read(run, text, f"#{start}:{end}")
    assert span == shown_span
    assert shown == text[span[0] : span[1]]
    assert span in seen or seen == [(0, span[1])]


def test_reading_on_shows_the_whole_document(run) -> None:
    text = TEXTS["escapes"](10_000)[:25_001]
    pieces: list[str] = []

    def model(turn, conversation):
        if turn == 1:
            return [call("text_search", {"query": "owls", "snippet_size": 1})]
        known = ids_in(outputs(conversation)[0])[0]
        if turn == 2:
            # In one turn: the cap is per call.
            return [call("read", {"id": f"{known}#{start}:{start + 10**6}"}) for start in range(0, 25_001, 10_000)]
        for shown in outputs(conversation)[1:]:
            body = shown.partition(">\n")[2].removesuffix("\n</doc>")
            pieces.append(html.unescape(body.removeprefix("... ").removesuffix(" ...")))
        return [call("report_helpful_ids", {"ids": [known]})]

    result = run(model, corpora=Corpus(text_search=WordBackend([{"id": "d", "content": text}])))
    assert "".join(pieces) == text
    assert result.cache.seen_ledger["d"] == [(0, 25_001)]


def test_a_read_is_not_masked_and_is_recorded(run) -> None:
    shown: list[str] = []

    def model(turn, conversation):
        if turn == 1:
            return [call("text_search", {"query": "owls"})]
        known = ids_in(outputs(conversation)[0])[0]
        if turn == 2:
            return [call("read", {"id": known}), call("read", {"id": known}), call("text_search", {"query": "owls"})]
        shown.extend(outputs(conversation)[1:])
        return [call("report_helpful_ids", {"ids": [known]})]

    run(model)
    assert shown[0] == shown[1]
    assert "[seen:" not in shown[0]
    assert "[seen:" in shown[2]
