"""Whole flows against the reference: two caches in lockstep, one random step after another."""

from __future__ import annotations

import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import sid
from sid._languages import SUPPORTED_LANGUAGES
from sid.id_stream import IdStream

from .conftest import COUNTS

FLOWS = 60
STEPS = 400
assert FLOWS * STEPS >= 20_000

WORDS = "the quick brown fox & <b>jumps</b> over | a \"lazy\" dog's back 日本語 été 👩‍👩‍👧 don't 1,000\n\n".split(" ")


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    try:
        return "gave", call()
    except Exception as error:
        return "raised", type(error).__name__


def view_facts(view: Any) -> dict[str, Any]:
    return {**vars(view), "display_fields": list(view.display_fields)}


class Pair:
    """Our cache and the reference's, after the same steps."""

    def __init__(self, ours: Any, theirs: Any) -> None:
        self.ours = ours
        self.theirs = theirs

    def same(self, call: Callable[[Any], Any]) -> tuple[str, Any]:
        expected = outcome(lambda: call(self.theirs))
        assert outcome(lambda: call(self.ours)) == expected
        COUNTS["results"] += 1
        return expected


class Flow:
    """One random walk over a fork family."""

    def __init__(self, oracle: ModuleType, seed: int) -> None:
        self.oracle = oracle
        self.random = random.Random(f"flow {seed}")
        language, mode = self.random.choice(SUPPORTED_LANGUAGES), self.random.choice(["lenient", "strict"])
        ours = sid.DocumentCache(language, mode)
        theirs = oracle.DocumentCache(language, mode)
        # A small space runs out in some flows.
        alphabet, length = self.random.choice([("0123456789", 6), ("ab", 4), ("é🙂x", 3)])
        ours.model_facing_id_stream = IdStream(alphabet, length, seed=seed)
        theirs.model_facing_id_stream = oracle.id_stream.IdStream(alphabet, length, seed=seed)
        self.forks = [Pair(ours, theirs)]
        self.views: list[Pair] = []
        self.data_ids: list[Any] = ["absent"]
        self.steps = [getattr(self, name) for name in dir(type(self)) if name.startswith("step_")]

    def run(self) -> None:
        for _ in range(STEPS):
            self.random.choice(self.steps)(self.random.choice(self.forks))
            COUNTS["flow steps"] += 1
        for pair in self.forks:
            pair.same(lambda cache: dict(cache.seen_ledger))
            pair.same(lambda cache: list(cache.documents.items()))
            pair.same(lambda cache: cache._validate_store())

    def text(self, words: int) -> str:
        return self.random.choice([" ", " ", "", "\n"]).join(
            self.random.choice(WORDS) for _ in range(self.random.randint(0, words))
        )

    def value(self) -> Any:
        scalars = [
            0,
            7,
            -3,
            True,
            False,
            None,
            0.0,
            2.5,
            "",
            self.text(3),
            b"x<",
            {"k": [1]},
            ("a", 1),
            [],
            ["<", 2, None],
        ]
        return self.random.choice(scalars)

    def document(self) -> dict[Any, Any]:
        names = self.random.sample(["id", "doc_length", "title", "tags", "a<b", "url"], self.random.randint(0, 4))
        document = {name: self.value() for name in names}
        content = self.random.choice([self.text(150), self.text(400), self.text(5), self.value()])
        if self.random.random() < 0.95:
            document["content"] = content
        document["extra"] = self.value()
        return document

    def data_id(self) -> Any:
        return self.random.choice(self.data_ids)

    def fields(self) -> list[Any] | None:
        some = self.random.sample(["content", "title", "id", "doc_length", "extra", "nope"], self.random.randint(0, 4))
        return self.random.choice([None, None, ["content", "extra"], ["extra", "content"], some])

    def remember(self, pair: Pair, call: Callable[[Any], Any]) -> None:
        theirs, ours = outcome(lambda: call(pair.theirs)), outcome(lambda: call(pair.ours))
        assert ours[0] == theirs[0], (ours, theirs)
        if theirs[0] == "raised":
            assert ours == theirs
            return
        assert view_facts(ours[1]) == view_facts(theirs[1])
        assert type(ours[1]).__name__ == type(theirs[1]).__name__
        view = Pair(ours[1], theirs[1])
        view.same(lambda view: view.render_xml())
        view.same(lambda view: view._render_parts())
        self.views.append(view)
        if self.random.random() < 0.6:
            self.record(pair, view)

    def record(self, pair: Pair, view: Pair) -> None:
        assert outcome(lambda: pair.ours.update_seen(view.ours)) == outcome(
            lambda: pair.theirs.update_seen(view.theirs)
        )

    def step_add(self, pair: Pair) -> None:
        known = self.random.random() < 0.2
        data_id = (
            self.data_id() if known else self.random.choice([f"d{len(self.data_ids)}", len(self.data_ids), (1, "t")])
        )
        document = self.document()
        given, _ = pair.same(lambda cache: cache.add_document(data_id, document))
        if given == "gave":
            self.data_ids.append(data_id)
        document["content"] = "changed by the caller"

    def step_snippet(self, pair: Pair) -> None:
        arguments: dict[str, Any] = {
            "data_id": self.data_id(),
            "snippet_field": self.random.choice(["content"] * 8 + ["title", "nope"]),
            "query": self.text(6),
            "snippet_size": self.random.choice([1, 2, 5, 10, 50, 50, 0, -1]),
            "min_seen_overlap": self.random.choice([100, 100, 20, 1, 0, -5, 10**9]),
            "display_fields": self.fields(),
            "language": self.random.choice([None, None, *SUPPORTED_LANGUAGES, "klingon"]),
        }
        self.remember(pair, lambda cache: cache.apply_snippet(**arguments))

    step_snippet_too = step_snippet

    def step_read(self, pair: Pair) -> None:
        data_id, field, fields = self.data_id(), self.random.choice(["content", "content", None, "nope"]), self.fields()
        span = self.random.choice([None, self.char_range()])
        self.remember(pair, lambda cache: cache.get_single_span_document_view(data_id, field, span, fields))

    def char_range(self) -> Any:
        start = self.random.randint(-5, 300)
        return self.random.choice(
            [(start, start + self.random.randint(-3, 200))] * 6 + [[0, 5], (0,), (0.0, 5), (True, 5), ("0", "5"), None]
        )

    def step_resolve(self, pair: Pair) -> None:
        data_id, char_range = self.data_id(), self.char_range()
        pair.same(lambda cache: cache.resolve_char_range(data_id, "content", char_range))

    def step_record_again(self, pair: Pair) -> None:
        if self.views:
            self.record(pair, self.random.choice(self.views))

    def step_ledger(self, pair: Pair) -> None:
        pair.same(lambda cache: dict(cache.seen_ledger))

    def step_fork(self, pair: Pair) -> None:
        if len(self.forks) < 8:
            count = self.random.choice([0, 1, 2, -1])
            self.forks += map(Pair, pair.ours.fork(count), pair.theirs.fork(count))

    def step_search(self, pair: Pair) -> None:
        data_ids = [
            self.random.choice([self.data_id(), f"d{len(self.data_ids)}"]) for _ in range(self.random.randint(0, 4))
        ]
        found = [{**self.document(), "content": self.text(150) or "text", "key": data_id} for data_id in data_ids]
        query, size = self.text(6), self.random.choice([1, 5, 50])
        minimum, language = self.random.choice([100, 20, 1]), self.random.choice([None, *SUPPORTED_LANGUAGES])
        fields = self.random.choice([None, None, ["content"], ["extra", "content"]])
        options = {"snippet_size": size, "min_seen_overlap": minimum, "display_fields": fields, "language": language}
        markdown = self.random.random() < 0.3

        def loop(cache: Any) -> str:
            views, rendered = [], []
            for result in found:
                document = {name: value for name, value in result.items() if name != "key"}
                cache.add_document(result["key"], document)
                view = cache.apply_snippet(result["key"], "content", query, **options)
                views.append(view)
                rendered.append(view.render_xml())
                cache.update_seen(view)
            return self.oracle.render_markdown_table(views, fields) if markdown else "\n\n".join(rendered)

        output = "markdown" if markdown else "xml"
        given, shown = outcome(
            lambda: pair.ours.render_results(found, query, id_field="key", format=output, separator="\n\n", **options)
        )
        # Where ours refuses, all is as before, while the loop stops half-way: there is nothing to compare.
        if given == "gave":
            assert shown == loop(pair.theirs)
            self.data_ids += data_ids
            COUNTS["searches"] += 1

    def step_look_up(self, pair: Pair) -> None:
        data_id = self.data_id()
        pair.same(lambda cache: data_id in cache)
        pair.same(lambda cache: cache.get_document(data_id))
        _, model_id = pair.same(lambda cache: cache.to_model_facing_id(data_id))
        pair.same(lambda cache: cache.to_data_id(model_id))
        pair.same(lambda cache: cache.contains_model_facing_id(model_id))
        pair.same(lambda cache: cache.get_document_from_model_facing_id(model_id))

    def step_table(self, pair: Pair) -> None:
        views = self.random.sample(self.views, min(len(self.views), self.random.randint(0, 4)))
        fields = self.random.choice([None, None, [], ["extra"], ["content", "extra"], ["nope"]])
        ours = outcome(lambda: sid.render_markdown_table([view.ours for view in views], fields))
        assert ours == outcome(lambda: self.oracle.render_markdown_table([view.theirs for view in views], fields))
        COUNTS["results"] += 1

    def step_replace_string(self, pair: Pair) -> None:
        data_id, text = self.data_id(), self.text(100)
        if data_id in pair.ours and text and "content" in pair.ours.documents[data_id]:
            pair.ours.documents[data_id]["content"] = text
            pair.theirs.documents[data_id]["content"] = text
            # A view taken before may now name spans past the end; both render what is left.
            for view in self.views[-5:]:
                view.same(lambda view: view.render_xml())


@pytest.mark.parametrize("seed", range(FLOWS))
def test_flow(oracle: ModuleType, seed: int) -> None:
    Flow(oracle, seed).run()
