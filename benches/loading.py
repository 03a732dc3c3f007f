"""The implementations that are compared, loaded side by side into one process.

Both backends of this library, and optionally the reference, sid-sdk, are packages named ``sid``. Two of them are
loaded under other names, which works because all of their imports are relative.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = [
    "NATIVE",
    "PEER",
    "PEER_VARIABLE",
    "PURE",
    "Implementation",
    "load_own",
    "load_peer",
    "own_version",
    "peer_version",
]

NATIVE = "native"
PURE = "pure"
PEER = "sid-sdk"

PEER_VARIABLE = "SID_SDK_DIR"
"""Name of the environment variable that holds the folder into which sid-sdk was unpacked."""

_PACKAGE = "sid"
_PURE_VARIABLE = "SID_PURE_PYTHON"


@dataclass(frozen=True)
class Implementation:
    """One implementation of the library's API.

    Attributes
    ----------
    name
        What tables call it.
    package, document_cache, document_rendering, id_stream
        Its modules.
    analysis_cache
        The module that tells what is remembered of texts; nothing for sid-sdk, which remembers nothing.
    folder
        Where ``import sid`` finds it.
    variables
        Environment variables that choose it in a new process.
    """

    name: str
    package: ModuleType
    document_cache: Any
    document_rendering: Any
    id_stream: Any
    analysis_cache: Any
    folder: Path
    variables: Mapping[str, str]


def load_own() -> list[Implementation]:
    """Load this library twice, with its native and with its pure backend, from wherever ``import sid`` finds it.

    Raises
    ------
    SystemExit
        If ``sid`` is not this library, or its extension module is not built.
    """
    with _variable(_PURE_VARIABLE, "0"):
        native = importlib.import_module(_PACKAGE)
    if getattr(native, "__backend__", None) != "native" or native.__file__ is None:
        raise SystemExit("`import sid` does not give this library with its extension module: build it, set PYTHONPATH")
    folder = Path(native.__file__).parent.parent
    with _variable(_PURE_VARIABLE, "1"):
        pure = _load_as("sid_pure", folder)
        return [
            _implementation(NATIVE, native, folder, {_PURE_VARIABLE: "0"}),
            _implementation(PURE, pure, folder, {_PURE_VARIABLE: "1"}),
        ]


def load_peer(folder: Path) -> Implementation:
    """Load sid-sdk from the folder that ``pip install --target`` unpacked it into.

    Raises
    ------
    SystemExit
        If it cannot be imported from there by this Python.
    """
    try:
        return _implementation(PEER, _load_as("sid_sdk", folder), folder, {})
    except (ImportError, OSError) as error:
        raise SystemExit(f"sid-sdk (which needs Python 3.12 or later) cannot be imported: {error}") from error


def own_version() -> str:
    """Give the version of this library, which need not be installed."""
    version: str = importlib.import_module(f"{_PACKAGE}._native").__version__
    return version


def peer_version(folder: Path) -> str:
    """Give the version of the sid-sdk in a folder."""
    return next((found.version for found in distributions(path=[str(folder)]) if found.name == "sid-sdk"), "unknown")


def _load_as(name: str, folder: Path) -> ModuleType:
    """Import the package ``sid`` in a folder under another name."""
    package = folder / _PACKAGE
    spec = importlib.util.spec_from_file_location(
        name, package / "__init__.py", submodule_search_locations=[str(package)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"there is no package {_PACKAGE!r} to load as {name!r}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _implementation(name: str, package: ModuleType, folder: Path, variables: Mapping[str, str]) -> Implementation:
    document_cache, document_rendering, id_stream = (
        importlib.import_module(f"{package.__name__}.{module}")
        for module in ("document_cache", "document_rendering", "id_stream")
    )
    analysis_cache = None if name == PEER else importlib.import_module(f"{package.__name__}.analysis_cache")
    return Implementation(
        name, package, document_cache, document_rendering, id_stream, analysis_cache, folder, variables
    )


@contextmanager
def _variable(name: str, value: str) -> Iterator[None]:
    """Set an environment variable for a while."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
