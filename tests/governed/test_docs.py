"""What docs/governed.md says of the tests is so."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "governed.md"


def test_every_test_that_is_named_exists() -> None:
    written = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    there = set(re.findall(r"^def (test_\w+)", written, re.MULTILINE))
    named = set(re.findall(r"`(test_\w+)`", DOCS.read_text(encoding="utf-8")))
    assert len(named) > 40
    assert named <= there, named - there


def test_every_reason_and_result_is_named() -> None:
    from sid.governed import results

    said = DOCS.read_text(encoding="utf-8")
    for name in ("Found", "NoApplicableInstruction", "Unavailable", *results.Reason.__args__):
        assert f"`{name}`" in said


def test_the_example_runs(tmp_path, monkeypatch) -> None:
    from sid.governed import Found

    monkeypatch.chdir(tmp_path)
    (program,) = re.findall(r"^```python\n(.*?)^```$", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    made: dict[str, object] = {}
    exec(compile(program, "docs/governed.md", "exec"), made)
    with made["store"]:  # type: ignore[attr-defined]
        assert isinstance(made["answer"], Found)
        assert made["answer"].passages[0].text == "Open valve A."
