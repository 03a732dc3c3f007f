"""Try an installed wheel: the library on both backends, and every command."""

import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile


def run(*arguments: str, given: str = "", **variables: str) -> str:
    """Run a command that must succeed, and give what it prints."""
    result = subprocess.run(
        arguments,
        input=given,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONDEVMODE": "1", "PYTHONWARNINGS": "error", **variables},
        check=False,
    )
    if result.returncode:
        sys.exit(f"{arguments} gave {result.returncode}: {result.stdout}{result.stderr}")
    return result.stdout


def main() -> None:
    """Try it."""
    assert shutil.which("cargo") is None
    command = os.path.join(sysconfig.get_path("scripts"), "sid")
    outputs = set()
    for pure, backend in (("0", "native"), ("1", "python")):
        code = "import sid; print(sid.__backend__, sid.__version__)"
        printed = run(sys.executable, "-W", "error", "-c", code, SID_PURE_PYTHON=pure)
        name, version = printed.split()
        assert name == backend, name
        run(sys.executable, "-W", "error", "-c", "import sid.tools, sid.episode", SID_PURE_PYTHON=pure)  # no extra yet
        assert version in run(command, "--version", SID_PURE_PYTHON=pure)
        document = json.dumps({"id": 1, "title": "T", "content": "one two three " * 50 + "needle " + "four five " * 50})
        rendered = run(command, "render", "-", "--query", "needle", "--json", given=document, SID_PURE_PYTHON=pure)
        outputs.add(json.dumps(json.loads(rendered)["displayed"]))
        with tempfile.TemporaryDirectory() as folder:
            index = os.path.join(folder, "index")
            run(command, "index", "-", "--into", index, given=document, SID_PURE_PYTHON=pure)
            found = run(command, "search", index, "needle", "--json", SID_PURE_PYTHON=pure)
            assert json.loads(found)["displayed"] == json.loads(rendered)["displayed"]
            assert "one two three" in run(command, "read", index, "1", SID_PURE_PYTHON=pure)
            store, tickets = os.path.join(folder, "store"), os.path.join(folder, "tickets")
            with open(tickets, "w", encoding="utf-8") as file:
                json.dump(
                    {"ticket_id": "T-1", "organization_id": "o", "scope": "s", "opened_at": "2026-01-02T00:00Z"}, file
                )
            rule = {"document_id": "D", "version": 1, "title": "T", "text": "one needle", "scope": "s"}
            rule |= {"effective_from": "2026-01-01", "audience": "everyone"}
            given = json.dumps(rule)
            run(command, "governed", "load", store, "-", "--tickets", tickets, given=given, SID_PURE_PYTHON=pure)
            who = ("--operator", "p", "--organization", "o", "--json")
            answer = run(command, "governed", "ask", store, "T-1", "needle?", *who, SID_PURE_PYTHON=pure)
            assert json.loads(answer)["passages"][0]["locator"] == "D@1#0:10"
        assert "characters" in run(command, "demo", SID_PURE_PYTHON=pure)
        assert json.loads(run(command, "doctor", "--json", SID_PURE_PYTHON=pure))["ok"]
    assert len(outputs) == 1, outputs
    print(f"ok: sid-native {version} on {platform.python_implementation()} {platform.python_version()}")


if __name__ == "__main__":
    main()
