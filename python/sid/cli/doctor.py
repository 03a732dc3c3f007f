"""``sid doctor`` checks whether this installation is what it should be.

It imports nothing of the package at its top: the very fault to find may be that another package's files stand in the
place of ours.
"""

from __future__ import annotations

import argparse
import base64
import csv
import hashlib
import importlib
import json
import os
import platform
import sys
import warnings
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

__all__ = ["backend", "installed_version", "run"]

DISTRIBUTION = "sid-native"
REFERENCE = "sid-sdk"
NO_RECORD = "not installed from a wheel: nothing to compare with"
REINSTALL = f"pip uninstall -y {REFERENCE} {DISTRIBUTION}, then install {DISTRIBUTION} again"


@dataclass(frozen=True)
class Finding:
    """One thing looked at."""

    name: str
    ok: bool
    detail: str


def installed_version() -> str | None:
    """Give the version of the installed distribution."""
    try:
        return metadata.version(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return None


def backend() -> str:
    """Give the backend that ``import sid`` chooses here, or ``"no"`` if that fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return str(importlib.import_module("sid").__backend__)
        except (ImportError, AttributeError):
            return "no"


def run(arguments: argparse.Namespace) -> int:
    """Look at everything, print it, and give 0 if all is well, else 1."""
    findings = [_version(), _conflict(), _files(), _backend(), _extension(), _numpy()]
    healthy = all(finding.ok for finding in findings)
    if arguments.json:
        print(json.dumps({"ok": healthy, "findings": [asdict(finding) for finding in findings]}))
    else:
        for finding in findings:
            print(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.name}: {finding.detail}")
    return 0 if healthy else 1


def _version() -> Finding:
    version = installed_version()
    python = f"Python {platform.python_version()} ({platform.python_implementation()}, {platform.machine()})"
    if version is None:
        return Finding("version", True, f"imported from a source tree, not installed; {python}")
    return Finding("version", True, f"{DISTRIBUTION} {version}; {python}")


def _conflict() -> Finding:
    try:
        version = metadata.version(REFERENCE)
    except metadata.PackageNotFoundError:
        return Finding("conflict", True, f"{REFERENCE} is not installed beside it")
    detail = f"{REFERENCE} {version} is installed too, and both own the package 'sid'; run: {REINSTALL}"
    return Finding("conflict", False, detail)


def _files() -> Finding:
    """Compare the files of the package with what the installer recorded of them."""
    try:
        distribution = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return Finding("files", True, NO_RECORD)
    # The record itself: `metadata.files` leaves out what is missing, from Python 3.12 on.
    rows = list(csv.reader((distribution.read_text("RECORD") or "").splitlines()))
    ours = [row for row in rows if len(row) == 3 and row[0].startswith("sid/") and "=" in row[1]]
    if not ours:
        return Finding("files", True, NO_RECORD)
    changed = [
        name for name, digest, _ in ours if not _is_as_recorded(Path(str(distribution.locate_file(name))), digest)
    ]
    if changed:
        named = ", ".join(changed[:5]) + (f" and {len(changed) - 5} more" if len(changed) > 5 else "")
        return Finding("files", False, f"missing or not as installed: {named}; run: {REINSTALL}")
    return Finding("files", True, f"all {len(ours)} as installed")


def _is_as_recorded(path: Path, recorded: str) -> bool:
    algorithm, _, digest = recorded.partition("=")
    try:
        actual = hashlib.new(algorithm, path.read_bytes()).digest()
    except (OSError, ValueError):
        return False
    return base64.urlsafe_b64encode(actual).rstrip(b"=").decode() == digest


def _backend() -> Finding:
    chosen = backend()
    if chosen == "native":
        return Finding("backend", True, "native")
    if chosen == "python":
        return Finding("backend", True, "pure Python, many times slower than native; see the line on the extension")
    return Finding("backend", False, f"the package 'sid' that is imported is not {DISTRIBUTION}; run: {REINSTALL}")


def _extension() -> Finding:
    try:
        extension = importlib.import_module("sid._native")
    except ImportError as error:
        if os.environ.get("SID_PURE_PYTHON", "") not in ("", "0"):
            return Finding("extension", True, "cannot be loaded, and is not wanted: SID_PURE_PYTHON is set")
        return Finding("extension", False, f"cannot be loaded: {error}; run: {REINSTALL}")
    version = extension.__version__
    installed = installed_version()
    if installed is not None and version != installed:
        return Finding("extension", False, f"is of version {version}, the package of {installed}; run: {REINSTALL}")
    return Finding("extension", True, f"version {version}, scanning with {extension.INSTRUCTION_SET}")


def _numpy() -> Finding:
    try:
        version = importlib.import_module("numpy").__version__
    except Exception as error:  # whatever a broken package raises
        detail = (
            f"cannot be imported ({error}), and the pure backend needs it; run: {sys.executable} -m pip install numpy"
        )
        return Finding("numpy", False, detail)
    return Finding("numpy", True, f"version {version}")
