"""The command ``sid``.

Exit codes: 0 all done, 1 something in the input or the installation is wrong, 2 the command could not start. Errors are
one sentence on standard error.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import sys
from collections.abc import Sequence

from . import doctor

__all__ = ["main"]

# Only `doctor` is imported here: it must run where another package's files have replaced ours.


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and give its exit code.

    Parameters
    ----------
    argv
        The arguments, by default those of the process.
    """
    try:
        if sys.stdout is None:
            raise OSError(errno.EBADF, "standard output is closed")
        arguments = _parser().parse_args(argv)
        for stream in (sys.stdout, sys.stderr):
            # A lone surrogate cannot be written; its escape can.
            if reconfigure := getattr(stream, "reconfigure", None):
                reconfigure(encoding="utf-8", errors="backslashreplace")
        code: int = arguments.run(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has gone.
        _abandon_output()
        return 1
    except OSError as error:
        print(f"sid: cannot write the output: {error.strerror}", file=sys.stderr)
        _abandon_output()
        return 1
    except ImportError as error:
        mend = f"{sys.executable} -m pip install numpy" if error.name == "numpy" else "sid doctor"
        print(f"sid: {error}; run: {mend}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return code


def _abandon_output() -> None:
    """Let nothing be written any more: Python would complain once more when it closes the stream."""
    if sys.stdout is not None:
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _demo(arguments: argparse.Namespace) -> int:
    from .demo import run

    return run(arguments)


def _render(arguments: argparse.Namespace) -> int:
    from .render import run

    return run(arguments)


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
    demo.set_defaults(run=_demo)

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
    render.set_defaults(run=_render)

    check = commands.add_parser("doctor", help="check this installation")
    check.add_argument("--json", action="store_true", help="write the findings as a JSON object")
    check.set_defaults(run=doctor.run)
    return parser


def _positive(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 1000 else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return number
