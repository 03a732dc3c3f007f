"""What is imported when: nothing of it before it is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sid import governed


def run(code: str) -> str:
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, encoding="utf-8", check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_nothing_heavy_is_imported_early() -> None:
    assert run("import sys, sid; print('sid.governed' in sys.modules, 'sqlite3' in sys.modules)") == "False False\n"
    heavy = "sorted({'sqlite3', 'numpy', 'jsonschema', 'openai', 'asyncio', 'sid.episode'} & set(sys.modules))"
    assert run(f"import sys, sid.governed; print({heavy})") == "[]\n"
    code = f"import sys; from sid.governed import GovernedStore; GovernedStore().close(); print({heavy})"
    assert run(code) == "['sqlite3']\n"


def test_every_public_name_is_there() -> None:
    for name in governed.__all__:
        assert getattr(governed, name) is not None
    with pytest.raises(AttributeError, match="'nothing'"):
        governed.nothing  # noqa: B018
