"""Print the CPython interpreters of this machine, one path a line: the newest of each minor version, oldest first.

``--at-least X.Y`` leaves older ones out. Looks on the PATH and where pyenv and uv keep theirs. Interpreters without
venv and pip, and free-threaded builds, which take no abi3 wheel, are left out.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

PROBE = """
import ensurepip, sys, sysconfig, venv
if sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED"):
    if sys.base_prefix == sys.prefix:
        print(*sys.version_info[:3], sys.executable)
"""


def candidates() -> list[Path]:
    """Give every path that may be an interpreter."""
    home = Path.home()
    pyenv = Path(os.environ.get("PYENV_ROOT", home / ".pyenv"))
    found = [Path(sys.executable)]
    for folder in os.get_exec_path():
        found += sorted(Path(folder).glob("python3*"))
    found += sorted(pyenv.glob("versions/3.*/bin/python3"))
    found += sorted((home / ".local/share/uv/python").glob("cpython-3.*/bin/python3"))
    return found


def probe(path: Path) -> tuple[tuple[int, int, int], str] | None:
    """Give the version and true path of an interpreter that is usable and not of a virtual environment."""
    try:
        result = subprocess.run([path, "-Ic", PROBE], capture_output=True, text=True, timeout=60, check=True)
        major, minor, patch, executable = result.stdout.strip().split(" ", 3)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return (int(major), int(minor), int(patch)), executable


def main() -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--at-least", default="3.11", metavar="X.Y")
    least = tuple(map(int, parser.parse_args().at_least.split(".")))
    best: dict[tuple[int, ...], tuple[tuple[int, int, int], str]] = {}
    for path in candidates():
        if path.name.endswith("-config") or not os.access(path, os.X_OK):
            continue
        found = probe(path)
        if found is not None and found[0][:2] >= least:
            minor = found[0][:2]
            best[minor] = max(found, best.get(minor, found))
    for minor in sorted(best):
        print(best[minor][1])


if __name__ == "__main__":
    main()
