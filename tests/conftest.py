"""Settings of the whole suite, which runs on whichever backend `sid` has chosen."""

from __future__ import annotations

import os

from hypothesis import settings

import sid

settings.register_profile("suite", deadline=None, max_examples=100, print_blob=True)
settings.register_profile("thorough", parent=settings.get_profile("suite"), max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


def pytest_report_header() -> str:
    return f"sid backend: {sid.__backend__}"
