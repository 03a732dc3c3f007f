"""The reference SDK, loaded beside ours under another name, and real text in many languages.

``SID_ORACLE_DIR`` names a folder into which ``sid-sdk`` 0.2.1 and ``Django`` (for its translated messages, which are
text that people wrote) were unpacked; ``make test`` prepares it. Both are run, never read.
"""

from __future__ import annotations

import gettext
import importlib.util
import os
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sid import __backend__

ORACLE_VERSION = "0.2.1"
COUNTS: Counter[str] = Counter()
"""How many results of each kind were compared with the reference in this run."""

# Django's name of each locale with a good deal of text, and the analyzer for it.
LOCALES = {
    "ar": "generic",
    "cs": "generic",
    "da": "danish",
    "de": "german",
    "el": "generic",
    "es": "spanish",
    "fa": "generic",
    "fi": "finnish",
    "fr": "french",
    "he": "generic",
    "hi": "generic",
    "hu": "hungarian",
    "it": "italian",
    "ja": "generic",
    "ka": "generic",
    "ko": "generic",
    "nb": "norwegian",
    "nl": "dutch",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
    "th": "generic",
    "tr": "generic",
    "uk": "generic",
    "vi": "generic",
    "zh_Hans": "generic",
}


def oracle_directory() -> Path:
    directory = os.environ.get("SID_ORACLE_DIR")
    if not directory:
        pytest.skip("ORACLE TESTS NOT RUN: SID_ORACLE_DIR is not set; `make test` sets it up", allow_module_level=True)
    return Path(directory)


def load_oracle() -> ModuleType:
    """Load the reference SDK as ``sid_sdk``."""
    if "sid_sdk" in sys.modules:
        return sys.modules["sid_sdk"]
    directory = oracle_directory()
    assert (directory / f"sid_sdk-{ORACLE_VERSION}.dist-info").is_dir()
    package = directory / "sid"
    spec = importlib.util.spec_from_file_location(
        "sid_sdk", package / "__init__.py", submodule_search_locations=[str(package)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["sid_sdk"] = module
    spec.loader.exec_module(module)
    return module


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    compared = ", ".join(f"{count:,} {kind}" for kind, count in sorted(COUNTS.items()))
    if compared:
        terminalreporter.write_line(f"compared with the reference on the {__backend__} backend: {compared}")


@pytest.fixture(scope="session")
def oracle() -> ModuleType:
    return load_oracle()


@pytest.fixture(scope="session")
def translations() -> dict[str, list[str]]:
    """Give the messages of every locale, longest first."""
    root = oracle_directory() / "django/contrib"
    messages: dict[str, list[str]] = {}
    for locale in LOCALES:
        found: set[str] = set()
        for catalog in root.glob(f"*/locale/{locale}/LC_MESSAGES/django.mo"):
            with catalog.open("rb") as file:
                texts: Any = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
            found.update(text for key, text in texts.items() if key and isinstance(text, str))
        messages[locale] = sorted(found, key=lambda text: (-len(text), text))
        assert len(messages[locale]) > 100, f"{locale} has only {len(messages[locale])} messages"
    return messages
