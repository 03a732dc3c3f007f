"""Transcripts: whole lines as it happens, read after any cut, replayed with the same observations."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sid.backends import Corpus
from sid.episode import Episode, EpisodeError, ModelError, ReplayMismatch, TranscriptError, read_transcript, replay

from .corpora import BIRDS, WordBackend, birds, sqlite
from .service import Reply, call, prose, reasoning, scripted
from .test_contract import ids_in, outputs


def busy(turn, conversation):
    """A model that makes a bit of everything."""
    if turn == 1:
        return [
            reasoning(),
            call("text_search", {"query": "owls night", "limit": 3}),
            call("text_search", {"query": "mouse", "snippet_size": 12}),
            call("text_search", {"query": "xyzzy"}),
            call("browse"),
        ]
    known = ids_in(outputs(conversation)[0])
    if turn == 2:
        return [
            call("read", {"id": f"{known[0]}#5:400"}),
            call("text_search", {"query": "owls"}),
            call("read", {"id": "0"}),
        ]
    if turn == 3:
        return [prose("Hm.")]
    return [call("report_helpful_ids", {"ids": [known[1], "no", f"{known[0]}#5:9"]})]


def observations(events) -> list[tuple]:
    return [(e["turn"], e["call"], e["output"], e["refused"]) for e in events if e["event"] == "observation"]


@pytest.fixture
def recorded(run, tmp_path) -> tuple[Path, object]:
    path = tmp_path / "episode.jsonl"
    return path, run(busy, transcript=path, question="Who \udcff? ☃")


def test_a_transcript_is_the_events(recorded) -> None:
    path, result = recorded
    assert path.read_bytes().isascii()
    lines = path.read_text().splitlines()
    assert [json.loads(line) for line in lines] == result.transcript == read_transcript(path)
    kinds = [event["event"] for event in result.transcript]
    assert (kinds[0], kinds[-1]) == ("episode", "ended")
    assert kinds.count("turn") == kinds.count("response") == 4
    assert (kinds.count("call"), kinds.count("fetched"), kinds.count("observation"), kinds.count("report")) == (
        8,
        4,
        7,
        1,
    )
    assert all(isinstance(event["at"], float) for event in result.transcript)
    assert "test-key" not in path.read_text()
    # A document's text is there once a turn at most.
    assert path.read_text().count("Wrens sing in hedges") <= 2


def test_listeners_hear_what_is_written(run, tmp_path) -> None:
    heard: list[dict] = []

    def listen(event) -> None:
        heard.append(event)
        assert read_transcript(tmp_path / "t.jsonl") == heard

    assert run(busy, transcript=tmp_path / "t.jsonl", on_event=listen).transcript == heard


def test_replay(recorded) -> None:
    path, result = recorded
    for transcript in (path, str(path), result.transcript, iter(copy.deepcopy(result.transcript))):
        again = replay(transcript)
        assert observations(again.transcript) == observations(result.transcript)
        assert (again.data_ids, again.sources, again.ended, again.turns, again.detail) == (
            result.data_ids, result.sources, result.ended, result.turns, result.detail,
        )  # fmt: skip
        assert again.cache.seen_ledger == result.cache.seen_ledger
        assert again.cache.documents == result.cache.documents
    assert observations(replay(again.transcript).transcript) == observations(result.transcript)


def test_replay_uses_no_network_and_no_client(recorded) -> None:
    path, _ = recorded
    code = (
        "import sys\n"
        "def refuse(event, _):\n"
        "    assert not event.startswith('socket.'), event\n"
        "sys.modules['openai'] = None\n"
        "sys.addaudithook(refuse)\n"
        "from sid.episode import replay\n"
        f"print(replay({str(path)!r}).ended)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "reported\n"


def test_a_transcript_cut_at_any_byte(recorded, tmp_path) -> None:
    path, result = recorded
    whole = path.read_bytes()
    ends = [index + 1 for index, byte in enumerate(whole) if byte == ord("\n")]
    target = tmp_path / "cut.jsonl"
    for cut in range(len(whole) + 1):
        # Every byte in the lines' last and first parts; every 37th elsewhere, for time.
        if cut % 37 and all(abs(cut - end) > 3 for end in ends):
            continue
        target.write_bytes(whole[:cut])
        lines = sum(end <= cut for end in ends)
        if not lines:
            with pytest.raises(TranscriptError, match="has no whole line"):
                read_transcript(target)
            continue
        assert read_transcript(target) == result.transcript[:lines]
    for lines in range(1, len(ends) + 1):
        again = replay(result.transcript[:lines])
        expected = observations(result.transcript)
        assert observations(again.transcript) == expected[: len(observations(again.transcript))]
        assert len(observations(again.transcript)) >= len(observations(result.transcript[:lines]))
        responses = sum(event["event"] == "response" for event in result.transcript[:lines])
        assert again.turns == responses
        assert again.ended == ("reported" if responses == 4 else "transcript_ends")


KILLED = """
import os, signal, sys
from sid.backends import Corpus
from sid.episode import Episode
sys.path.insert(0, sys.argv[2])
from tests.episode.corpora import birds
from tests.episode.service import scripted
from tests.episode.test_transcript import busy

def listen(event):
    if (event["event"], event.get("turn"), event.get("call")) == ("observation", 2, 1):
        os.kill(os.getpid(), signal.SIGKILL)

Episode("Who?", corpora=birds(), client=scripted(busy), transcript=sys.argv[1], on_event=listen).run()
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_run_keeps_what_it_saw(tmp_path) -> None:
    path = tmp_path / "killed.jsonl"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", KILLED, str(path), str(root)], check=False, cwd=root)
    assert done.returncode == -signal.SIGKILL
    events = read_transcript(path)
    assert (events[-1]["event"], events[-1]["turn"], events[-1]["call"]) == ("observation", 2, 1)
    again = replay(path)
    assert (again.ended, again.turns) == ("transcript_ends", 2)
    assert observations(again.transcript)[: len(observations(events))] == observations(events)


def test_a_failed_run_can_be_replayed_up_to_there(run, tmp_path) -> None:
    class Failing(WordBackend):
        def search(self, query, *, limit, filters=None):
            if query == "bad":
                raise ValueError("a bug")
            return super().search(query, limit=limit)

    def model(turn, conversation):
        return [call("text_search", {"query": "owls" if turn == 1 else "bad"})]

    path = tmp_path / "failed.jsonl"
    with pytest.raises(Exception, match="a bug"):
        run(model, corpora=Corpus(text_search=Failing()), transcript=path)
    events = read_transcript(path)
    assert events[-1]["event"] == "failed"
    assert "a bug" in events[-1]["error"]
    again = replay(path)
    assert (again.ended, again.turns, again.detail) == (
        "transcript_ends", 2,
        "the transcript does not hold what call 1 of turn 2 found; the episode failed: " + events[-1]["error"],
    )  # fmt: skip


def test_the_failure_of_a_model_is_told_by_the_replay(run, tmp_path) -> None:
    path = tmp_path / "failed.jsonl"
    with pytest.raises(ModelError):
        run(lambda *_: Reply(code=401, body=b"{}"), corpora=birds(), transcript=path)
    assert re.fullmatch(
        "the transcript holds 0 responses of the model; the episode failed: .*401.*", replay(path).detail
    )


# --- files that cannot be ---------------------------------------------------------------------------------------------


def test_a_transcript_is_never_overwritten(tmp_path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("precious")
    with pytest.raises(TranscriptError, match="exists: name another file"):
        Episode("Who?", corpora=birds(), client=object(), transcript=path).run()
    assert path.read_text() == "precious"


def test_a_transcript_that_cannot_be_made(tmp_path) -> None:
    with pytest.raises(TranscriptError, match="cannot be written: No such file or directory"):
        Episode("Who?", corpora=birds(), client=object(), transcript=tmp_path / "no" / "t.jsonl").run()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_ends_it(run, tmp_path, monkeypatch) -> None:
    import builtins

    real = builtins.open

    def full(path, mode="r", *more):
        return real("/dev/full", "wb") if mode == "xb" else real(path, mode, *more)

    monkeypatch.setattr(builtins, "open", full)
    with pytest.raises(TranscriptError, match="cannot be written: No space left on device"):
        run(busy, transcript=tmp_path / "t.jsonl")
    assert not run.service.requests


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no whole line"),
        ('{"event": "episode"}', "has no whole line"),
        ("{}\n", ":1: not an event"),
        ('{"event": 5}\n', ":1: not an event"),
        ('{"event": "episode", "format": 1}\nnonsense\n', ":2: not an event of a transcript: b'nonsense'"),
        ('{"event": "episode", "format": 1}\n\n', ":2: not an event"),
        ("[" * 100_000 + "\n", ":1: not an event"),
        ("\ufffd\n", ":1: not an event"),
        ('{"event": "turn"}\n', "first event must be 'episode'"),
        ('{"event": "episode"}\n', "has format None, this version reads format 1"),
        ('{"event": "episode", "format": 2}\n', "has format 2"),
        ('{"event": "episode", "format": 1}\n', "is damaged: KeyError"),
    ],
)
def test_files_that_are_no_transcript(tmp_path, text, message) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text)
    with pytest.raises(TranscriptError) as refused:
        replay(path)
    assert message in str(refused.value)
    assert len(str(refused.value)) < 500


def test_files_that_cannot_be_read(tmp_path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(TranscriptError, match="cannot be read"):
            read_transcript(path)


# --- replays that differ ----------------------------------------------------------------------------------------------


def altered(events, kind: str, change) -> list[dict]:
    events = copy.deepcopy(events)
    change(next(event for event in events if event["event"] == kind))
    return events


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("observation", lambda e: e.update(output=e["output"] + " "), "call 1 of turn 1 gave another observation"),
        ("observation", lambda e: e.update(refused=True), "gave another observation"),
        ("report", lambda e: e["data_ids"].reverse(), "gave another report"),
        ("report", lambda e: e.update(turn=9), "call 1 of turn 9 is in the transcript, and not in the replay"),
        ("episode", lambda e: e.update(seed=e["seed"] ^ 1), "gave another observation"),
        ("episode", lambda e: e.update(language="generic", max_turns=2), "is in the transcript, and not in the replay"),
    ],
)
def test_a_replay_that_differs_is_told(recorded, kind, change, message) -> None:
    _, result = recorded
    with pytest.raises(ReplayMismatch, match=message):
        replay(altered(result.transcript, kind, change))


# --- what hits may hold -----------------------------------------------------------------------------------------------


class Odd:
    def __str__(self) -> str:
        return "odd & <thing>"


VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.binary(max_size=3),
        st.dates(), st.datetimes(), st.decimals(allow_nan=False), st.builds(Odd), st.fractions(),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.tuples(inner, inner), st.sets(st.integers(), max_size=2),
        st.dictionaries(st.integers() | st.text(max_size=2), inner, max_size=2),
    ),
    max_leaves=6,
)  # fmt: skip
TEXTS = st.text(st.characters(), min_size=1, max_size=40)


class Scripted:
    def __init__(self, queries) -> None:
        self.responses = self
        self.queries = iter(queries)

    def create(self, **_):
        return {"output": [call("text_search", {"query": query}) for query in next(self.queries, [])]}


@settings(max_examples=60)
@given(
    st.lists(
        st.fixed_dictionaries({"id": TEXTS, "content": TEXTS}, optional=dict.fromkeys(("a", "b", "c d"), VALUES)),
        min_size=1, max_size=4, unique_by=lambda document: document["id"],
    ),
    st.lists(st.lists(st.text(max_size=8), max_size=3), max_size=3),
)  # fmt: skip
def test_any_hit_is_replayed_as_it_was_shown(documents, queries) -> None:
    class All:
        def search(self, query, *, limit, filters=None):
            return documents[len(query) % len(documents) :] + documents[: len(query) % len(documents)]

    result = Episode("Who?", corpora=Corpus(text_search=All()), client=Scripted(queries), max_turns=5).run()
    events = json.loads(json.dumps(result.transcript, allow_nan=False))
    assert observations(replay(events).transcript) == observations(result.transcript)


def test_two_versions_of_a_document_in_one_turn(run) -> None:
    """The first that is composed is the one that counts, whichever came first."""

    class Changing:
        def search(self, query, *, limit, filters=None):
            return [{"id": "x", "content": f"this is version {query}"}]

    def model(turn, conversation):
        if turn < 3:
            return [call("text_search", {"query": str(3 * turn + n)}) for n in range(3)]
        return [call("report_helpful_ids", {"ids": ids_in(outputs(conversation)[0])})]

    result = run(model, corpora=Corpus(text_search=Changing()))
    assert result.cache.get_document("x")["content"] == "this is version 3"
    assert observations(replay(result.transcript).transcript) == observations(result.transcript)


def test_the_names_of_the_corpora_do_not_matter_to_a_replay(run) -> None:
    corpora = [
        Corpus("a", text_search=sqlite(BIRDS)),
        Corpus("b", "B.", search=WordBackend(), display_fields=["title"]),
    ]

    def model(turn, conversation):
        if turn == 1:
            return [call("a_text_search", {"query": "owls"}), call("b_search", {"query": "owls"})]
        return [call("report_helpful_ids", {"ids": ids_in("".join(outputs(conversation)))})]

    result = run(model, corpora=corpora)
    again = replay(result.transcript)
    assert again.sources == result.sources
    assert {corpus for corpus, _ in again.sources} == {"a", "b"}


def test_a_directory_is_no_transcript_file() -> None:
    with pytest.raises(TranscriptError):
        replay(os.curdir)


# --- listeners that change what they hear -----------------------------------------------------------------------------


def spoiled(value) -> None:
    """Change everything within a JSON value."""
    inner = value.values() if isinstance(value, dict) else value
    for one in list(inner):
        if isinstance(one, dict | list):
            spoiled(one)
    if isinstance(value, dict):
        value.update(dict.fromkeys(value, "spoiled"))
    value.clear()


def test_a_listener_that_changes_events_changes_nothing_else(run) -> None:
    plain = run(busy, seed=3)
    sent = [request.body["input"] for request in run.service.requests]
    spoilt = run(busy, seed=3, on_event=spoiled)

    def told(events) -> list[dict]:
        """Leave out what differs from run to run: times, the service's numbers, and which search is done first."""
        left_out = ("at", "call_id", "response", "arguments")
        same = [{name: value for name, value in event.items() if name not in left_out} for event in events]
        return sorted(same, key=lambda event: (event.get("turn", 0), event["event"], event.get("call", 0)))

    assert told(spoilt.transcript) == told(plain.transcript)
    assert [outputs(request.body["input"]) for request in run.service.requests] == [outputs(one) for one in sent]
    assert observations(replay(spoilt.transcript).transcript) == observations(plain.transcript)


def test_a_result_that_is_changed_changes_no_later_episode(run) -> None:
    first = run(busy, seed=3)
    tools = copy.deepcopy(first.transcript[0]["tools"])
    for event in first.transcript:
        spoiled(event)
    assert run(busy, seed=3).transcript[0]["tools"] == tools


# --- transcripts that are damaged -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"language": "klingon"},
        {"language": []},
        {"default_limit": None},
        {"max_turns": "10"},
        {"question": None},
        {"instructions": 5},
        {"seed": 1.5},
        {"tools": [{}]},
        {"tools": None},
        {"tool_examples": [{"name": 5}]},
        {"corpora": [{"name": "x"}]},
        {"extra_tools": 7},
    ],
    ids=str,
)
def test_settings_are_checked_when_they_are_read(recorded, change) -> None:
    _, result = recorded
    with pytest.raises(TranscriptError, match="the transcript is damaged: "):
        replay(altered(result.transcript, "episode", lambda event: event.update(change)))


def test_what_a_listener_of_a_replay_raises_is_no_damage(recorded) -> None:
    class Stop(Exception):
        pass

    def listen(event) -> None:
        raise Stop

    with pytest.raises(Stop):
        replay(recorded[1].transcript, on_event=listen)


def test_what_is_no_list_of_events() -> None:
    for events in ([5], ["episode"], [{"format": 1}], [{"event": "episode", "format": 1}, None]):
        with pytest.raises(TranscriptError):
            replay(events)


def within(value, way=()):
    """Give the way to every value within a JSON value."""
    for key, one in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*way, key)
        if isinstance(one, dict | list):
            yield from within(one, (*way, key))


@pytest.fixture(scope="module")
def sound() -> list[dict]:
    corpus = Corpus(text_search=WordBackend(), filters={"kind": {"type": "string"}})
    return Episode("Who?", corpora=corpus, client=scripted(busy)).run().transcript


REPLACEMENTS = st.sampled_from(
    [None, True, 0, -1, 2.5, 10**400, "", "x", "10", "\ud800", [], {}, [5], {"x": None}, [[]]]
)


@settings(max_examples=400)
@given(st.data())
def test_a_transcript_with_one_change_gives_a_result_or_says_what_is_wrong(sound, data) -> None:
    events = copy.deepcopy(sound)
    first = data.draw(st.booleans(), "in the first event")
    *way, last = data.draw(st.sampled_from(list(within(events[:1] if first else events))))
    holder = events
    for step in way:
        holder = holder[step]
    if data.draw(st.booleans(), "delete"):
        del holder[last]
    elif isinstance(holder[last], str) and data.draw(st.booleans(), "change the text"):
        place = data.draw(st.integers(0, len(holder[last])))
        holder[last] = holder[last][:place] + data.draw(st.text(max_size=2)) + holder[last][place + 1 :]
    else:
        holder[last] = data.draw(REPLACEMENTS)
    with contextlib.suppress(EpisodeError):
        result = replay(events)
        assert result.ended in ("reported", "max_turns", "incomplete", "transcript_ends")
