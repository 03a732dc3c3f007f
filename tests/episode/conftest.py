"""The real client on a service of our own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import openai
import pytest

from sid.episode import Episode, EpisodeResult

from .corpora import OPEN, birds
from .service import Model, Service, serving


@pytest.fixture(autouse=True)
def closed_indexes() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


@pytest.fixture
def serve() -> Iterator[Callable[[Model], Service]]:
    with ExitStack() as stack:
        yield lambda model: stack.enter_context(serving(model))


@pytest.fixture(scope="session")
def connections() -> Iterator[openai.DefaultHttpxClient]:
    """Give what takes the real client long to make."""
    with openai.DefaultHttpxClient() as connections:
        yield connections


@pytest.fixture
def run(serve, connections) -> Callable[..., EpisodeResult]:
    """Run an episode of a scripted model through the real client."""

    def run(model: Model, *, max_retries: int = 2, **settings: Any) -> EpisodeResult:
        run.service = service = serve(model)  # type: ignore[attr-defined]
        client = openai.OpenAI(
            base_url=service.url, api_key="test-key", max_retries=max_retries, http_client=connections
        )
        settings = {"question": "Who hunts at night?", "corpora": birds(), **settings}
        return Episode(settings.pop("question"), client=client, **settings).run()

    return run
