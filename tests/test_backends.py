"""Which backend is chosen, what that imports, and what is said when the native one is missing."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import sid
from sid import _kernels

PACKAGE = Path(sid.__file__).parent
EXTENSION_SUFFIXES = (".so", ".pyd")

needs_extension = pytest.mark.skipif(
    importlib.util.find_spec("sid._native") is None, reason="THE NATIVE BACKEND IS NOT TESTED: sid._native is not built"
)

REPORT = """
import json, sys, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import sid
    import sid.document_cache, sid.document_rendering, sid.id_stream, sid.ranges, sid._kernels
    imported = sorted(sys.modules)
    cache = sid.DocumentCache("generic")
    cache.model_facing_id_stream = sid.id_stream.IdStream(seed=1)
    cache.add_document("d", {"t": "<T>", "c": "one \\ud800 two three four"})
    view = cache.apply_snippet("d", "c", "three", snippet_size=2)
    cache.update_seen(view)
    shown = [view.render_xml(), sid.render_markdown_table([view]), cache.seen_ledger["d"]]
print(json.dumps({
    "backend": sid.__backend__,
    "kernels": sid._kernels.BACKEND,
    "warnings": [[warning.category.__name__, str(warning.message)] for warning in caught],
    "imported": [name for name in imported if name.split(".")[0] in ("sid", "numpy")],
    "used": [name for name in sys.modules if name.split(".")[0] in ("sid", "numpy")],
    "shown": shown,
}))
"""


def run_python(
    *arguments: str, path: Path = PACKAGE.parent, pure: str | None = None
) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value for name, value in os.environ.items() if name not in ("SID_PURE_PYTHON", "PYTHONWARNINGS")
    }
    environment |= {"PYTHONPATH": str(path), "PYTHONIOENCODING": "utf-8"} | (
        {} if pure is None else {"SID_PURE_PYTHON": pure}
    )
    return subprocess.run(
        [sys.executable, "-B", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        timeout=60,
    )


def report(path: Path = PACKAGE.parent, pure: str | None = None) -> dict[str, Any]:
    finished = run_python("-c", REPORT, path=path, pure=pure)
    assert finished.returncode == 0, finished.stderr
    assert finished.stderr == ""
    return json.loads(finished.stdout)


@pytest.fixture(scope="module")
def without_extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a copy of the package that has no extension."""
    folder = tmp_path_factory.mktemp("pure")
    patterns = shutil.ignore_patterns("__pycache__", *(f"*{suffix}" for suffix in EXTENSION_SUFFIXES))
    shutil.copytree(PACKAGE, folder / "sid", ignore=patterns)
    return folder


@pytest.fixture(scope="module")
def with_broken_extension(without_extension: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a copy of the package whose extension is not one."""
    folder = tmp_path_factory.mktemp("broken")
    shutil.copytree(without_extension / "sid", folder / "sid")
    for suffix in EXTENSION_SUFFIXES:
        (folder / "sid" / f"_native{suffix}").write_bytes(b"not an extension")
    return folder


def test_the_backend_of_this_run():
    assert sid.__backend__ == _kernels.BACKEND
    assert sid.__backend__ in ("native", "python")
    if os.environ.get("SID_PURE_PYTHON", "") not in ("", "0"):
        assert sid.__backend__ == "python"


@needs_extension
@pytest.mark.parametrize("pure", [None, "", "0"])
def test_the_native_backend_is_chosen_unless_told_otherwise(pure):
    found = report(pure=pure)
    assert (found["backend"], found["kernels"], found["warnings"]) == ("native", "native", [])
    assert "sid._native" in found["imported"]
    # Neither importing nor using it costs the import of NumPy.
    assert not [name for name in found["used"] if name.startswith(("numpy", "sid._pure"))]


@pytest.mark.parametrize("pure", ["1", "true"])
def test_the_pure_backend_is_chosen_without_a_warning(pure):
    found = report(pure=pure)
    assert (found["backend"], found["kernels"], found["warnings"]) == ("python", "python", [])
    assert "sid._native" not in found["used"]


@pytest.mark.parametrize("package", ["without_extension", "with_broken_extension"])
@pytest.mark.parametrize("pure", [None, "", "0"])
def test_a_missing_extension_gives_one_warning_and_the_pure_backend(package, pure, request):
    found = report(request.getfixturevalue(package), pure)
    assert (found["backend"], found["kernels"]) == ("python", "python")
    [[category, message]] = found["warnings"]
    assert category == "RuntimeWarning"
    assert "SID_PURE_PYTHON=1" in message
    assert "sid-native" in message


@pytest.mark.parametrize("package", ["without_extension", "with_broken_extension"])
def test_who_asks_for_the_pure_backend_is_not_warned_of_a_missing_extension(package, request):
    assert report(request.getfixturevalue(package), "1")["warnings"] == []


def test_the_warning_is_shown_once_by_default(without_extension):
    finished = run_python(
        "-c", "import sid, sid.document_cache, sid.id_stream; print(sid.__backend__)", path=without_extension
    )
    assert finished.returncode == 0
    assert finished.stdout.strip() == "python"
    assert finished.stderr.count("RuntimeWarning") == 1


@needs_extension
def test_both_backends_show_the_same(without_extension):
    shown = [report()["shown"], report(pure="1")["shown"], report(without_extension, "1")["shown"]]
    assert shown[0] == shown[1] == shown[2]


@needs_extension
def test_an_id_space_beyond_the_native_one_is_no_other(without_extension):
    code = "from sid.id_stream import IdStream; print([IdStream('ab', n, seed=4)[3] for n in (127, 128, 129, 300)])"
    printed = {run_python("-c", code, pure=pure).stdout for pure in ("0", "1")}
    assert len(printed) == 1
    assert len(printed.pop()) > 127 + 128 + 129 + 300


def test_public_names():
    assert {"DocumentCache", "DocumentView", "DocumentViewWithSnippet", "InvalidCharacterRange", "RangeMode"} <= set(
        sid.__all__
    )
    assert {"parse_rendered_model_facing_id", "render_markdown_table"} <= set(sid.__all__)
    assert all(hasattr(sid, name) for name in sid.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        sid.no_such_name  # noqa: B018


def test_everything_can_be_imported_by_a_star():
    code = "from sid import *; print(DocumentCache.__name__, parse_rendered_model_facing_id('a#1:2'))"
    assert run_python("-c", code, pure="1").stdout.split("\n")[0] == "DocumentCache ('a', (1, 2))"


def test_every_kernel_has_a_twin():
    functions = {name for name in _kernels.__all__ if name not in _kernels._OWN}
    pure = importlib.import_module("sid._pure")
    assert functions == set(pure.__all__)
    assert all(callable(getattr(_kernels, name)) for name in functions)
    if importlib.util.find_spec("sid._native") is not None:
        native = importlib.import_module("sid._native")
        assert functions == {name for name in dir(native) if not name.startswith("_") and not name.isupper()}


@needs_extension
def test_an_instruction_set_that_is_not_there():
    code = "import sid._native; print(sid._native.INSTRUCTION_SET)"
    for wanted, warned in (("portable", False), ("bogus", True), ("", False)):
        result = subprocess.run(
            [sys.executable, "-W", "always", "-c", code],
            env={**os.environ, "SID_SIMD": wanted},
            capture_output=True,
            text=True,
            check=True,
        )
        assert (f'SID_SIMD is "{wanted}", but this machine has' in result.stderr) == warned
        assert result.stdout.strip() == "portable" if wanted == "portable" else result.stdout.strip() != wanted


def test_version_of_a_source_tree_is_no_attribute(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "sid", ignore=shutil.ignore_patterns("__pycache__"))
    code = "import sid; print(hasattr(sid, '__version__'))"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    result = subprocess.run(
        [sys.executable, "-S", "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "False"
