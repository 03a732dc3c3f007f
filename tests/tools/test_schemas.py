"""The trained schemas: word for word, and nobody's to change."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys

import pytest

from sid import tools
from sid.document_cache import SNIPPET_SIZE_DEFAULT

DIGESTS = {
    "SEARCH_TOOL": "c6b58b6dae280298c8941f7add12c786299660fbc266a1f5e83572b16a804918",
    "TEXT_SEARCH_TOOL": "e216394cd8882ecf1d86ad2736129c9f51bfa7aa9fc165a5bc77feb6be2fa8a3",
    "READ_TOOL": "75c2d589d30c7b336a19e0cb9520742ea843a4656d8940c73558159a8f496f55",
    "REPORT_TOOL": "d9194a9e6df0184fc1c1be93ebac562a0c671b47cb3e7abdee882ea5bba67aa2",
}


def digest(tool: dict) -> str:
    text = json.dumps(tool, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize("name", DIGESTS)
def test_the_wording_is_the_trained_one(name) -> None:
    assert digest(getattr(tools, name)) == DIGESTS[name]


@pytest.mark.parametrize("name", DIGESTS)
def test_each_access_gives_a_new_dict(name) -> None:
    one = getattr(tools, name)
    assert type(one) is dict
    one["parameters"]["properties"].clear()
    one["description"] = "changed"
    assert digest(getattr(tools, name)) == DIGESTS[name]


def test_the_snippet_size_is_the_constant(monkeypatch) -> None:
    assert f"(default {SNIPPET_SIZE_DEFAULT})" in json.dumps(tools.SEARCH_TOOL)
    monkeypatch.setattr("sid.tools.schemas.SNIPPET_SIZE_DEFAULT", 77)
    assert "(default 77)" in json.dumps(tools.TEXT_SEARCH_TOOL)


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="no attribute 'WRITE_TOOL'"):
        _ = tools.WRITE_TOOL  # type: ignore[attr-defined]


def loaded_after(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint(*sys.modules)"
    return set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )


def test_importing_is_light() -> None:
    assert not {"sid.tools", "sid.episode", "jsonschema", "openai"} & loaded_after("import sid")
    assert not {"jsonschema", "openai"} & loaded_after("import sid.tools; sid.tools.strict(sid.tools.SEARCH_TOOL)")


def test_without_jsonschema_the_error_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['jsonschema'] = None\n"
        "from sid import tools\n"
        "try: tools.parse_arguments(tools.READ_TOOL, '{}')\n"
        "except ImportError as error: print(error)\n"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install 'sid-native[tools]'" in printed
