"""The command ``sid``.

Exit codes: 0 all done, 1 something in the input or the installation is wrong, 2 the command could not start. Errors are
one sentence on standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, TextIO, cast

from . import doctor

__all__ = ["main"]

_INDEX_HELP = "made by sid index, or a folder of .txt and .md or a .jsonl file, which is indexed in memory first"

# Only `doctor` is imported here: it must run where another package's files have replaced ours.


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and give its exit code.

    Parameters
    ----------
    argv
        The arguments, by default those of the process.
    """
    stdout = sys.stdout
    try:
        if stdout is None:
            raise _CannotWrite(OSError(errno.EBADF, "standard output is closed"))
        sys.stdout = cast("TextIO", _Output(stdout))
        arguments = _parser().parse_args(argv)
        for stream in (stdout, sys.stderr):
            # A lone surrogate cannot be written; its escape can.
            if reconfigure := getattr(stream, "reconfigure", None):
                reconfigure(encoding="utf-8", errors="backslashreplace")
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except _CannotWrite as error:
        sys.stdout = stdout
        if not isinstance(error.cause, BrokenPipeError):  # else the reader has gone
            print(f"sid: cannot write the output: {error.cause.strerror}", file=sys.stderr)
        _abandon_output()
        return 1
    except OSError as error:
        about = "" if error.filename is None else f"{os.fsdecode(error.filename)!r:.200}: "
        with contextlib.suppress(OSError):  # standard error may be what takes nothing
            print(f"sid: {about}{error.strerror or error}; see that it is there and may be used", file=sys.stderr)
        return 2
    except ImportError as error:
        mend = f"{sys.executable} -m pip install numpy" if error.name == "numpy" else "sid doctor"
        print(f"sid: {error}; run: {mend}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        sys.stdout = stdout
    return code


class _CannotWrite(Exception):
    """Standard output takes no more."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(str(cause))
        self.cause = cause


_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"}
"""What a terminal would act upon, where a document, an id or a model says it: written out instead."""


class _Output:
    """Standard output, whose errors are told from those of everything else that a command uses.

    A terminal gets no control characters; a file or another program gets the very text.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._terminal = stream.isatty()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text.translate(_CONTROLS) if self._terminal else text)
        except OSError as error:
            raise _CannotWrite(error) from None

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            raise _CannotWrite(error) from None


def _abandon_output() -> None:
    """Let nothing be written any more: Python would complain once more when it closes the stream."""
    if sys.stdout is not None:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _of(module: str) -> Callable[[argparse.Namespace], int]:
    """Give what runs a command, which is imported only then."""

    def run(arguments: argparse.Namespace) -> int:
        code: int = importlib.import_module(f".{module}", __package__).run(arguments)
        return code

    return run


class _Version(argparse.Action):
    def __call__(self, *_: object, **__: object) -> None:
        print(f"sid-native {doctor.installed_version() or 'not installed'} ({doctor.backend()} backend)")
        sys.exit(0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sid", description="The layer between a search backend and a language model: ids, snippets, seen spans."
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and the backend, and stop")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    demo = commands.add_parser("demo", help="search the language reference inside CPython, shown as a model sees it")
    demo.set_defaults(run=_of("demo"))

    render = commands.add_parser(
        "render",
        help="show documents for a query as a model would see them",
        description="Read documents, a JSON object a line, and write a snippet of each for the query. What a document "
        "showed before in the same file is masked. A line with a fault is named on standard error and left out.",
    )
    render.add_argument("file", metavar="FILE.jsonl", help="the documents; - is standard input")
    render.add_argument("--query", required=True, help="what to choose the snippets for")
    render.add_argument("--snippet-size", type=_positive, default=50, metavar="TOKENS", help="default 50")
    render.add_argument("--field", default="content", metavar="NAME", help="field that holds the text; default content")
    render.add_argument("--id-field", default="id", metavar="NAME", help="field that holds the id; default id")
    render.add_argument("--language", default="english", help="whose stopwords to drop; default english")
    render.add_argument("--format", choices=("xml", "markdown"), default="xml", help="default xml")
    render.add_argument("--json", action="store_true", help="write a JSON object a document: ids, spans, rendering")
    render.add_argument("--strict", action="store_true", help="stop at the first fault")
    render.set_defaults(run=_of("render"))

    _add_index(commands)
    _add_search(commands)
    _add_read(commands)
    _add_episode(commands)

    replay = commands.add_parser(
        "replay",
        help="run an episode again from its transcript, without network",
        description="Run the recorded turns of the model again and show what it saw. Ends with 1 if that is not what "
        "the transcript holds.",
    )
    replay.add_argument("transcript", metavar="TRANSCRIPT", help="made by sid episode --transcript")
    replay.add_argument("--json", action="store_true", help="write the sums as a JSON object, and nothing else")
    replay.set_defaults(run=_of("replay"))

    _add_governed(commands)

    bench = commands.add_parser(
        "bench",
        help="time this installation, and the pure backend beside it",
        description="Time what an agent's turns are made of, on the language reference inside CPython. Where the "
        "native backend runs, the pure one is timed too.",
    )
    bench.add_argument("--seconds", type=_seconds, default=0.3, metavar="S", help="for each work; default 0.3")
    bench.add_argument("--json", action="store_true", help="write a JSON object; times in seconds a call")
    bench.set_defaults(run=_of("bench"))

    check = commands.add_parser("doctor", help="check this installation")
    check.add_argument("--json", action="store_true", help="write the findings as a JSON object")
    check.set_defaults(run=doctor.run)
    return parser


def _add_index(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    index = commands.add_parser(
        "index",
        help="put documents into an index for sid search",
        description="Put documents into an index, or in the place of those there with the same id. If interrupted, "
        "run it again. A line or file with a fault is named on standard error and left out.",
    )
    index.add_argument(
        "source", nargs="+", metavar="SOURCE", help="a JSON object a line, a folder of .txt and .md, or - (JSON lines)"
    )
    index.add_argument("--into", required=True, metavar="INDEX", help="the index's file, made if it is not there")
    index.add_argument("--vectors", action="store_true", help="index by meaning too; needs sid-native[vector]")
    index.add_argument("--field", default="content", metavar="NAME", help="field that holds the text; default content")
    index.add_argument("--id-field", default="id", metavar="NAME", help="field that holds the id; default id")
    index.add_argument(
        "--title-field", metavar="NAME", help="field that is searched too and weighs more; default title"
    )
    index.add_argument("--language", help="whose stopwords to drop from queries; default english")
    index.add_argument("--json", action="store_true", help="write the sums as a JSON object")
    index.add_argument("--strict", action="store_true", help="stop at the first fault")
    index.set_defaults(run=_of("index"))


def _add_search(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    search = commands.add_parser(
        "search",
        help="search an index; results are shown as a model would see them",
        description="Search an index and write a snippet of each result. What an earlier result showed is masked.",
    )
    search.add_argument("index", metavar="INDEX", help=_INDEX_HELP)
    search.add_argument("query", metavar="QUERY", help="what to look for; - reads queries, one a line")
    search.add_argument("--limit", type=_positive, default=5, metavar="N", help="results a query; default 5")
    search.add_argument("--snippet-size", type=_positive, default=50, metavar="TOKENS", help="default 50")
    search.add_argument(
        "--mode", choices=("text", "vector", "fused"), default="text", help="by words, by meaning, both; default text"
    )
    search.add_argument(
        "--filter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="only documents with that field; NAME_after= and NAME_before= take times; may be repeated",
    )
    search.add_argument("--json", action="store_true", help="write a JSON object a result: ids, spans, rendering")
    search.set_defaults(run=_of("search"))


def _add_read(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    read = commands.add_parser("read", help="show a document of an index, or a range of it, as a model would see it")
    read.add_argument("index", metavar="INDEX", help=_INDEX_HELP)
    read.add_argument("id", metavar="ID", help="the document's id, or ID#START:END; - reads them, one a line")
    read.add_argument("--range", metavar="START:END", help="characters to show; by default the first 10,000")
    read.add_argument("--json", action="store_true", help="write a JSON object a document: ids, spans, rendering")
    read.set_defaults(run=_of("read"))


def _add_episode(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    episode = commands.add_parser(
        "episode",
        help="let SID-2 search indexes for a question; needs sid-native[openai] and SID_API_KEY",
        description="Run a whole episode: the model searches in turns and reports the documents that help. The service "
        "is SID_BASE_URL, with the key SID_API_KEY.",
    )
    episode.add_argument("question", metavar="QUESTION", help="what documents are to be found for")
    episode.add_argument(
        "--index",
        action="append",
        required=True,
        metavar="[NAME=]INDEX",
        help="made by sid index, or a folder of .txt and .md or a .jsonl file, which is indexed in memory first; "
        "may be repeated, each with a name then",
    )
    episode.add_argument(
        "--contents",
        action="append",
        default=[],
        metavar="[NAME=]TEXT",
        help="what an index holds, in words for the model; may be repeated",
    )
    episode.add_argument("--vectors", action="store_true", help="search by meaning too; needs sid-native[vector]")
    episode.add_argument("--model", default="sid-2", help="default sid-2")
    episode.add_argument("--max-turns", type=_positive, default=10, metavar="N", help="default 10")
    episode.add_argument("--reward", choices=("f1", "ndcg"), default="f1", help="right set or right order; default f1")
    episode.add_argument("--effort", default="low", help="how much the model reasons; default low")
    episode.add_argument("--limit", type=_positive, default=5, metavar="N", help="results a search; default 5")
    episode.add_argument("--transcript", metavar="FILE", help="a new file for what happens, as it happens")
    episode.add_argument("--json", action="store_true", help="write the outcome as a JSON object")
    episode.set_defaults(run=_of("episode"))


def _add_governed(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    governed = commands.add_parser(
        "governed",
        help="answer only from what somebody may see; citations, reviews and an audit log",
        description="Work with a store of governed documents; see docs/governed.md. Who asks is what the options say: "
        "whoever can run this with the store's file is trusted.",
    )
    steps = governed.add_subparsers(metavar="COMMAND", required=True, dest="command")

    def add(name: str, about: str) -> argparse.ArgumentParser:
        step = steps.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
        step.add_argument("store", metavar="STORE", help="the store's file")
        step.set_defaults(run=_of("governed"))
        return step

    def for_somebody(step: argparse.ArgumentParser) -> None:
        step.add_argument("--operator", required=True, metavar="ID", help="who asks")
        step.add_argument("--organization", required=True, metavar="ID", help="for which organization")
        step.add_argument("--entitlement", action="append", default=[], metavar="NAME", help="may be repeated")
        step.add_argument("--json", action="store_true", help="write a JSON object")

    load = add("load", "write versions and tickets, JSON objects a line: all of them or none")
    load.add_argument("source", nargs="*", metavar="VERSIONS.jsonl", help="- is standard input")
    load.add_argument("--tickets", action="append", default=[], metavar="TICKETS.jsonl", help="may be repeated")
    load.add_argument("--by", default="sid governed load", metavar="NAME", help="who writes, for the audit log")
    load.add_argument("--json", action="store_true", help="write the sums as a JSON object")

    status = add("status", "activate a draft, or withdraw a version")
    status.add_argument("version", metavar="DOCUMENT@VERSION")
    status.add_argument("status", choices=("active", "withdrawn"))
    status.add_argument("--by", default="sid governed status", metavar="NAME", help="who changes it, for the log")

    ask = add("ask", "answer a question about a ticket, as a model would see it")
    ask.add_argument("ticket", metavar="TICKET")
    ask.add_argument("question", metavar="QUESTION")
    for_somebody(ask)

    locate = add("open", "open a citation, if it may be seen today")
    locate.add_argument("locator", metavar="DOCUMENT@VERSION#START:END")
    for_somebody(locate)

    check = add("check", "check whether an answer's claims are quoted; quoted is not true")
    check.add_argument("claims", metavar="CLAIMS.json", help="a list of objects with text and citations; or -")
    for_somebody(check)

    review = add("review", "list what waits for a person, claim it, resolve it")
    hands = review.add_subparsers(metavar="STEP", required=True, dest="step")
    listed = hands.add_parser("list", help="list items, oldest first")
    listed.add_argument("--state", choices=("open", "claimed", "resolved"), help="by default all")
    claim = hands.add_parser("claim", help="claim the oldest item that the reviewer is qualified for")
    claim.add_argument("--qualification", action="append", required=True, metavar="SCOPE", help="may be repeated")
    for name, about in (("resolve", "close a claimed item"), ("release", "give a claimed item back")):
        step = hands.add_parser(name, help=about)
        step.add_argument("id", metavar="REVIEW")
        step.add_argument("--claim", type=_positive, required=True, metavar="N", help="the claim's number")
        if name == "resolve":
            step.add_argument("--note", required=True, metavar="TEXT", help="what was decided")
    for step in (claim, hands.choices["resolve"], hands.choices["release"]):
        step.add_argument("--reviewer", required=True, metavar="ID", help="who reviews")

    audit = add("audit", "write the audit log, or verify the whole store against it")
    audit.add_argument("--verify", action="store_true", help="check every entry, text and status; 1 if one is wrong")
    audit.add_argument("--head", metavar="N:HASH", help="verify, and that the log still holds this earlier head")


def _positive(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 1000 else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return number


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0, at most 3600")
    return number
