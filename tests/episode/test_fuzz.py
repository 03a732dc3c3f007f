"""Models that write anything: every call is answered, nothing escapes, a replay agrees."""

from __future__ import annotations

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from sid.backends import Corpus
from sid.episode import READ_CHARACTERS, Episode, replay

from .corpora import BIRDS, WordBackend
from .service import call, compact, prose, reasoning

DOCUMENTS = [*BIRDS, {"id": "long", "content": "owls hunt 日本 & mice <x> " * 1500}]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
# {n} stands for the n-th id that the model was shown.
IDS = st.one_of(
    st.sampled_from(
        ["{0}", "{1}", "{2}", "{0}#0:50", "{1}#-3:9", "{0}#5", "{0}#9:1", "{2}#100:99999", "#1:2", "owl", ""]
    ),
    st.builds("{{{0}}}#{1}:{2}".format, st.integers(0, 3), st.integers(-5, 50_000), st.integers(-5, 50_000)),
    st.text(max_size=6),
)
SEARCHES = st.fixed_dictionaries(
    {"query": st.sampled_from(["owls", "mouse snow", "marks", "xyzzy", "", "day <&>", "\ud800", "日本"]) | ANYTHING},
    optional={"limit": st.integers(-1, 9) | ANYTHING, "snippet_size": st.integers(0, 9**9) | ANYTHING, "x": ANYTHING},
)
CALLS = st.one_of(
    st.tuples(st.sampled_from(["a_text_search", "b_search"]), SEARCHES),
    st.tuples(st.just("read"), st.fixed_dictionaries({"id": IDS})),
    st.tuples(st.just("report_helpful_ids"), st.fixed_dictionaries({"ids": st.lists(IDS, max_size=4)})),
    st.tuples(st.sampled_from(["a_text_search", "read", "report_helpful_ids", "browse", ""]), ANYTHING | st.text()),
)
TURNS = st.lists(st.lists(CALLS | st.sampled_from([prose("Hm."), reasoning()]), max_size=4), min_size=1, max_size=6)


class Scripted:
    """Plays the turns; remembers what it was asked."""

    def __init__(self, turns) -> None:
        self.responses = self
        self.turns = iter(turns)
        self.inputs: list[list[dict]] = []
        self.answers: list[list[dict]] = []
        self.fixed: set[str] = set()

    def create(self, **request):
        self.inputs.append(request.pop("input"))
        self.fixed.add(json.dumps(request))
        self.answers.append([self.item(one) for one in next(self.turns, [])])
        return {"output": self.answers[-1]}

    def item(self, one) -> dict:
        if isinstance(one, dict):
            return one
        name, arguments = one
        shown = "".join(item.get("output", "") for item in self.inputs[-1])
        known = list(dict.fromkeys(re.findall(r'<doc id="(\d+)', shown)))
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        text = re.sub(r"\{(\d)\}", lambda found: known[int(found[1])] if int(found[1]) < len(known) else "999999", text)
        return call(name, text)


@settings(max_examples=150)
@given(TURNS)
def test_any_model(turns) -> None:
    client = Scripted(turns)
    corpora = [
        Corpus("a", "A.", text_search=WordBackend(DOCUMENTS)),
        Corpus("b", "B.", search=WordBackend(DOCUMENTS[:3]), display_fields=["title"]),
    ]
    result = Episode("Who?", corpora=corpora, client=client, max_turns=6).run()

    assert result.ended in ("reported", "max_turns")
    assert len(client.fixed) == 1
    for before, after, items in zip(client.inputs, client.inputs[1:], client.answers, strict=False):
        assert after[: len(before)] == before
        new = after[len(before) :]
        assert compact(new[: len(items)]) == compact(items)
        asked = [item["call_id"] for item in items if item["type"] == "function_call"]
        assert [item["call_id"] for item in new[len(items) : -1]] == asked
        assert set(new[-1]) == {"role", "content"}
        for item in new[len(items) : -1]:
            item["output"].encode()
            assert "Traceback" not in item["output"]
    for event in result.transcript:
        if event["event"] == "observation" and event["output"].startswith("Error: "):
            assert event["refused"]
            assert len(event["output"]) <= 2000
    if result.ended == "reported":
        assert result.data_ids
        assert len(set(result.data_ids)) == len(result.data_ids)
        assert set(result.data_ids) <= set(result.cache.documents)
        assert all(
            f"{corpus}:{original}" == data_id
            for (corpus, original), data_id in zip(result.sources, result.data_ids, strict=True)
        )
        assert result.turns > 1
    for data_id, spans in result.cache.seen_ledger.items():
        length = len(result.cache.get_document(data_id)["content"])
        assert all(0 <= start < end <= length for start, end in spans)

    again = replay(json.loads(json.dumps(result.transcript)))
    assert (again.data_ids, again.ended, again.turns) == (result.data_ids, result.ended, result.turns)
    assert again.cache.seen_ledger == result.cache.seen_ledger


@settings(max_examples=100)
@given(st.lists(IDS.filter(lambda text: "{" in text), min_size=1, max_size=6))
def test_no_read_is_longer_than_the_cap(references) -> None:
    search = ("a_text_search", {"query": "owls", "snippet_size": 1})
    client = Scripted([[search], [("read", {"id": reference}) for reference in references], []])
    corpora = Corpus("a", text_search=WordBackend(DOCUMENTS))
    result = Episode("Who?", corpora=corpora, client=client, max_turns=3).run()
    reads = [event for event in result.transcript if event["event"] == "observation" and event["turn"] == 2]
    assert len(reads) == len(references)
    for event in reads:
        if event["refused"]:
            continue
        found = re.match(r'<doc id="\d+(?:#(\d+):(\d+))?" doc_length=(\d+)', event["output"])
        start, end, length = (int(part) if part else None for part in found.groups())
        assert (length if end is None else end - start) <= READ_CHARACTERS
