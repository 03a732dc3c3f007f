"""`sid doctor` and `sid --version`, in installations made for each fault."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sid
from sid.cli import main

PACKAGE = Path(sid.__file__).parent


@pytest.fixture
def installation(tmp_path: Path) -> Path:
    """Give a folder that looks as pip leaves it: the package, and a record of its files."""
    shutil.copytree(PACKAGE, tmp_path / "sid", ignore=shutil.ignore_patterns("__pycache__"))
    information = tmp_path / "sid_native-0.1.0.dist-info"
    information.mkdir()
    version = sid.__version__
    (information / "METADATA").write_text(f"Metadata-Version: 2.4\nName: sid-native\nVersion: {version}\n")
    lines = []
    for path in sorted((tmp_path / "sid").rglob("*.*")):
        digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
        lines.append(f"{path.relative_to(tmp_path).as_posix()},sha256={digest},{path.stat().st_size}\n")
    (information / "RECORD").write_text("".join(lines))
    return tmp_path


def diagnose(installation: Path, **variables: str) -> tuple[int, dict[str, dict[str, object]]]:
    # In a process that sees this folder's package and not the one that is tested here.
    code = (
        f"import sys; sys.path.remove({str(PACKAGE.parent)!r}); "
        "from sid.cli import main; sys.exit(main(['doctor', '--json']))"
    )
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(installation), str(PACKAGE.parent)]), **variables},
        check=False,
    )
    assert result.stderr == ""
    report = json.loads(result.stdout)
    assert report["ok"] == all(finding["ok"] for finding in report["findings"]) == (result.returncode == 0)
    return result.returncode, {finding["name"]: finding for finding in report["findings"]}


def test_a_sound_installation(installation) -> None:
    code, findings = diagnose(installation)
    assert code == 0, findings
    assert "as installed" in findings["files"]["detail"]


def test_the_reference_beside_it(installation) -> None:
    other = installation / "sid_sdk-0.2.1.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.4\nName: sid-sdk\nVersion: 0.2.1\n")
    code, findings = diagnose(installation)
    assert code == 1
    assert not findings["conflict"]["ok"]
    assert "pip uninstall -y sid-sdk" in findings["conflict"]["detail"]


@pytest.mark.parametrize("fault", ["replaced", "removed"])
def test_files_that_are_not_ours(installation, fault) -> None:
    target = installation / "sid" / "__init__.py"
    if fault == "replaced":
        target.write_text("class DocumentCache: ...\n")
    else:
        target.unlink()
    code, findings = diagnose(installation)
    assert code == 1
    assert "sid/__init__.py" in findings["files"]["detail"]
    assert not findings["backend"]["ok"]


@pytest.mark.parametrize("name", ["sid/_pure/analysis.py", "sid/cli/demo.py"])
def test_a_missing_file(installation, name) -> None:
    (installation / name).unlink()
    code, findings = diagnose(installation)
    assert code == 1
    assert name in findings["files"]["detail"]


def test_a_record_in_an_unknown_algorithm(installation) -> None:
    record = next(installation.glob("*.dist-info")) / "RECORD"
    record.write_text(record.read_text().replace("sha256=", "sha1024=", 1))
    code, findings = diagnose(installation)
    assert code == 1
    assert not findings["files"]["ok"]


def test_a_broken_numpy(installation) -> None:
    (installation / "numpy").mkdir()
    (installation / "numpy" / "__init__.py").write_text("raise OSError('no such library')\n")
    code, findings = diagnose(installation)
    assert code == 1
    assert "no such library" in findings["numpy"]["detail"]


def test_an_extension_of_another_version(installation) -> None:
    for path in (installation / "sid").glob("_native*.so"):
        path.unlink()
    (installation / "sid" / "_native.py").write_text("__version__ = '0.0.1'\nINSTRUCTION_SET = 'none'\n")
    code, findings = diagnose(installation)
    assert code == 1
    assert not findings["extension"]["ok"]
    assert "pure Python" in findings["backend"]["detail"]


@pytest.mark.parametrize(("pure", "ok"), [("0", False), ("1", True)])
def test_a_missing_extension_is_a_fault_unless_the_pure_backend_is_wanted(installation, pure, ok) -> None:
    for path in (installation / "sid").glob("_native*.so"):
        path.unlink()
    record = next(installation.glob("*.dist-info")) / "RECORD"
    record.write_text("".join(line for line in record.read_text().splitlines(True) if "_native.abi3" not in line))
    code, findings = diagnose(installation, SID_PURE_PYTHON=pure)
    assert code == (0 if ok else 1)
    assert findings["extension"]["ok"] == ok
    assert findings["backend"]["ok"]


def test_text(capsys) -> None:
    assert main(["doctor"]) in (0, 1)
    out = capsys.readouterr().out
    assert "version: sid-native" in out
    assert f"backend: {'native' if sid.__backend__ == 'native' else 'pure Python'}" in out


def test_version(capsys) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"sid-native {sid.__version__} ({sid.__backend__} backend)\n"
