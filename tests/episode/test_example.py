"""The reference episode of the examples, as it is run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .service import call, serving
from .test_contract import ids_in, outputs

EXAMPLE = Path(__file__).parents[2] / "examples" / "reference_episode.py"


def test_the_reference_episode() -> None:
    def model(turn, conversation):
        if turn == 1:
            return [
                call("text_search", {"query": "with statement exception context manager"}),
                call("text_search", {"query": "exception raised with statement", "limit": 3}),
            ]
        if turn == 2:
            return [call("read", {"id": ids_in(outputs(conversation)[0])[0]})]
        return [call("report_helpful_ids", {"ids": ids_in(outputs(conversation)[0])[:2]})]

    with serving(model) as service:
        done = subprocess.run(
            [sys.executable, "-W", "error", str(EXAMPLE)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "SID_BASE_URL": service.url, "SID_API_KEY": "k"},
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert "--- turn 3 of 10" in done.stdout
    assert "reported after 3 turns" in done.stdout
    assert done.stdout.count("\n- ") == 2
