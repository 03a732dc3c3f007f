"""The real client on a service of our own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import openai
import pytest

from sid.episode import Episode, EpisodeResult

from .corpora import birds
from .service import Model, Service, serving


@pytest.fixture
def serve() -> Iterator[Callable[[Model], Service]]:
    with ExitStack() as stack:
        yield lambda model: stack.enter_context(serving(model))


@pytest.fixture
def run(serve) -> Iterator[Callable[..., EpisodeResult]]:
    """Run an episode of a scripted model through the real client."""
    with ExitStack() as stack:

        def run(model: Model, **settings: Any) -> EpisodeResult:
            service = serve(model)
            client = stack.enter_context(
                openai.OpenAI(base_url=service.url, api_key="test-key", max_retries=settings.pop("max_retries", 2))
            )
            run.service = service  # type: ignore[attr-defined]
            settings.setdefault("corpora", birds())
            return Episode(settings.pop("question", "Who hunts at night?"), client=client, **settings).run()

        yield run
