"""Id streams, span functions, ranges, references and hand-made views against the reference."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import sid
import sid.document_cache
import sid.id_stream
import sid.ranges

from .conftest import COUNTS
from .test_flows import outcome


def same(ours: Callable[..., Any], theirs: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    expected = outcome(lambda: theirs(*arguments, **options))
    assert outcome(lambda: ours(*arguments, **options)) == expected, (arguments, options)
    COUNTS["results"] += 1


@pytest.mark.parametrize(
    ("alphabet", "length"),
    [
        ("0123456789", 6),
        ("0123456789", 1),
        ("0123456789", 19),
        ("0123456789", 20),
        ("0123456789", 40),
        ("0123456789abcdef", 16),
        ("0123456789abcdef", 32),
        ("0123456789abcdef", 33),
        ("ab", 1),
        ("ab", 64),
        ("ab", 65),
        ("ab", 127),
        ("ab", 128),
        ("ab", 129),
        ("ab", 1000),
        ("x", 5),
        ("", 3),
        ("é🙂漢", 7),
        ("abcdefghijklmnopqrstuvwxyz", 13),
        ("abcdefghijklmnopqrstuvwxyz", 27),
        ("abcdefghijklmnopqrstuvwxyz", 28),
    ],
)
def test_id_streams(oracle: ModuleType, alphabet: str, length: int) -> None:
    for seed in (0, 1, 7, -3, 2**70, "name", b"bytes", 1.5):
        ours = sid.id_stream.IdStream(alphabet, length, seed=seed)
        theirs = oracle.id_stream.IdStream(alphabet, length, seed=seed)
        for _ in range(40):
            same(ours.__next__, theirs.__next__)
        generator = random.Random(seed if isinstance(seed, int) else 0)
        for index in (0, -1, ours.space - 1, ours.space, *(generator.randrange(ours.space or 1) for _ in range(20))):
            same(ours.__getitem__, theirs.__getitem__, index)
        assert (ours.space, ours.minted, ours.remaining) == (theirs.space, theirs.minted, theirs.remaining)


def test_every_id_of_small_spaces(oracle: ModuleType) -> None:
    for size in range(1, 12):
        for length in (1, 2, 3):
            alphabet = "abcdefghijkl"[:size]
            ours, theirs = (made.IdStream(alphabet, length, seed=size) for made in (sid.id_stream, oracle.id_stream))
            assert [ours[i] for i in range(ours.space)] == [theirs[i] for i in range(theirs.space)]


@pytest.mark.parametrize(
    "options",
    [{"alphabet": "aa"}, {"alphabet": "a#"}, {"alphabet": ":a"}, {"length": 0}, {"length": -1}, {"seed": [1]}],
)
def test_refused_streams(oracle: ModuleType, options: dict[str, Any]) -> None:
    same(lambda **given: sid.id_stream.IdStream(**given).space, oracle.id_stream.IdStream, **options)


def ledger(generator: random.Random) -> list[tuple[int, int]]:
    offsets = sorted(generator.sample(range(60), 2 * generator.randint(0, 8)))
    return list(zip(offsets[::2], offsets[1::2], strict=True))


def test_span_functions(oracle: ModuleType) -> None:
    generator = random.Random("spans")
    ours, theirs = sid.document_cache, oracle.document_cache
    for _ in range(4000):
        seen = ledger(generator)
        span = (generator.randint(-2, 62), generator.randint(-2, 62))
        other = (generator.randint(-2, 62), generator.randint(-2, 62))
        same(ours.overlap, theirs.overlap, span, other)
        same(ours.overlap_list, theirs.overlap_list, span, seen)
        same(ours.insert_interval, theirs.insert_interval, seen, span)
        minimum = generator.choice([-1, 0, 1, 2, 5, 2.5, float("inf")])
        same(ours.plan_segments, theirs.plan_segments, tuple(sorted(span)), seen, minimum)
        own, reference = list(seen), list(seen)
        same(
            lambda new, own=own: (ours.append_coalescing(own, new), own),
            lambda new, reference=reference: (theirs.append_coalescing(reference, new), reference),
            span,
        )
        same(ours.stride_size, theirs.stride_size, span[0] * 3)


def test_ranges(oracle: ModuleType) -> None:
    generator = random.Random("ranges")
    offsets = [*range(-3, 13), True, False, 1.0, "1", None, 10**30, -(10**30)]
    for _ in range(5000):
        size = generator.choice([2, 2, 2, 2, 2, 1, 3])
        values = [generator.choice(offsets) for _ in range(size)]
        char_range = generator.choice([tuple, tuple, tuple, list])(values)
        mode, length = generator.choice(["lenient", "strict"]), generator.randint(0, 10)
        same(
            sid.ranges.resolve_char_range,
            oracle.ranges.resolve_char_range,
            char_range,
            length,
            mode=mode,
            document_id="d",
        )
    for mode in ("lenient", "strict", "Strict", "", None, 1, ["lenient"]):
        same(sid.ranges.validate_range_mode, oracle.ranges.validate_range_mode, mode)


def test_references(oracle: ModuleType) -> None:
    generator = random.Random("references")
    parts = [
        "a",
        "004218",
        "#",
        "#",
        ":",
        ":",
        "-",
        "+",
        "_",
        ".",
        " ",
        "0",
        "12",
        "7",
        "٣",
        "１",
        "²",
        "\n",
        "\u2003",
        "\u200b",
    ]
    for _ in range(20_000):
        reference = "".join(generator.choice(parts) for _ in range(generator.randint(0, 8)))
        same(sid.parse_rendered_model_facing_id, oracle.parse_rendered_model_facing_id, reference)
    for start in range(-2, 4):
        for end in range(-2, 4):
            same(sid.parse_rendered_model_facing_id, oracle.parse_rendered_model_facing_id, f"x#{start}: {end}")
    for odd in (None, 5, b"a#1:2", ["a"], "a#" + "9" * 5000 + ":1"):
        same(sid.parse_rendered_model_facing_id, oracle.parse_rendered_model_facing_id, odd)


def test_hand_made_views(oracle: ModuleType) -> None:
    generator = random.Random("views")
    text = '0123456789 & <tag> é漢🙂 "quoted" | and\nmore text than any span covers, so that it goes on'
    for _ in range(4000):
        pieces = ledger(generator)
        if generator.random() < 0.3:  # no cache makes such views, but callers may
            pieces += [(generator.randint(0, 60), generator.randint(0, 60)) for _ in range(generator.randint(1, 3))]
        seen = [piece for piece in pieces if generator.random() < 0.5]
        displayed = [piece for piece in pieces if piece not in seen]
        if not pieces:
            continue
        document = {
            "t": generator.choice(["", 0, None, True, 3, "x|y", ["a", 1], 2.5]),
            "text": text[: max(end for _, end in pieces) + 4],
        }
        arguments = ("d", "004218", document, "text", seen, displayed, ["t", "text"])
        ours, theirs = sid.DocumentViewWithSnippet(*arguments), oracle.DocumentViewWithSnippet(*arguments)
        same(ours.render_xml, theirs.render_xml)
        same(ours._render_parts, theirs._render_parts, generator.choice([None, [], ["t"], ["nope"]]))
        fields = generator.choice([None, ["text"], ["t"], []])
        same(
            lambda fields, ours=ours: sid.render_markdown_table([ours], fields),
            lambda fields, theirs=theirs: oracle.render_markdown_table([theirs], fields),
            fields,
        )
