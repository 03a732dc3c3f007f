"""The door to the model's service: one request, one response, both plain JSON data.

A client is anything with the OpenAI client's ``responses.create(**kwargs)``. Where it also gives raw responses, as the
``openai`` package does, the body is taken as the service wrote it, so that what is echoed later is what was sent.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from .._threads import in_thread
from .errors import EpisodeError, ModelError

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

__all__ = ["API_URL", "aask", "ask", "checked_response", "default_async_client", "default_client"]

API_URL = "https://api.sid-1.com/v1"
KEY_VARIABLE = "SID_API_KEY"
URL_VARIABLE = "SID_BASE_URL"

_PROXY_VARIABLES = frozenset({"http_proxy", "https_proxy", "all_proxy", "no_proxy", "ssl_cert_file", "ssl_cert_dir"})

TIMEOUT = 120.0
"""Seconds without a byte after which a request of the default client is tried again."""

RETRIES = 4
"""How often the default client tries again: on 408, 409, 429 and 5xx, as ``Retry-After`` says, and on lost
connections."""


def default_client() -> OpenAI:
    """Give a client of the ``openai`` package on ``SID_BASE_URL`` with ``SID_API_KEY``.

    Raises
    ------
    ImportError
        If ``openai`` is not installed.
    EpisodeError
        If ``SID_API_KEY`` is not set, ``SID_BASE_URL`` is no address, or a proxy variable is wrong.
    """
    client: OpenAI = _made("OpenAI")
    return client


def default_async_client() -> AsyncOpenAI:
    """Give the asynchronous counterpart of `default_client`, which raises the same."""
    client: AsyncOpenAI = _made("AsyncOpenAI")
    return client


def _made(kind: str) -> Any:
    openai, settings = _openai(), _settings()
    try:
        return getattr(openai, kind)(**settings)
    except Exception as error:
        # Key and address are sound, so what is left of the environment is at fault.
        proxies = [name for name in os.environ if name.lower() in _PROXY_VARIABLES and os.environ[name]]
        named = f"look at {', '.join(sorted(proxies))}" if proxies else "look at the environment"
        raise EpisodeError(
            f"the default client cannot be made: {type(error).__name__}: {error!s:.200}; {named}"
        ) from error


def _openai() -> Any:
    try:
        import openai
    except ImportError as error:
        raise ImportError(
            f"the default client is the package openai ({error}); pass a client, "
            "or run: pip install 'sid-native[openai]'",
            name="openai",
        ) from None
    return openai


def _settings() -> dict[str, Any]:
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not key:
        raise EpisodeError(f"{KEY_VARIABLE} is not set: set it to your API key, or pass a client")
    if not key.isprintable() or not key.isascii():
        raise EpisodeError(f"{KEY_VARIABLE} is no API key: it holds characters that a header cannot")
    url = os.environ.get(URL_VARIABLE, "").strip() or API_URL
    if not _is_url(url):
        raise EpisodeError(f"{URL_VARIABLE} must be an address such as {API_URL}, got {url!r:.200}")
    return {"api_key": key, "base_url": url, "timeout": TIMEOUT, "max_retries": RETRIES}


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and text.isprintable()
    except ValueError:
        return False


def ask(client: Any, request: Mapping[str, Any]) -> dict[str, Any]:
    """Send a request and give the response.

    Raises
    ------
    ModelError
        If the client raises, or the response is not one, or tells of a failure.
    TypeError
        If the client is asynchronous.
    """
    try:
        response = _create(client)(**request)
    except Exception as error:
        raise _failed(error) from error
    if inspect.isawaitable(response):
        if inspect.iscoroutine(response):
            response.close()
        raise TypeError("the client is asynchronous: await Episode.arun(), or pass a synchronous one")
    return checked_response(_plain(response))


async def aask(client: Any, request: Mapping[str, Any]) -> dict[str, Any]:
    """Send a request without blocking the event loop, by an asynchronous client or a synchronous one in a thread.

    Raises
    ------
    ModelError
        As of `ask`.
    """
    create = _create(client)
    try:
        if inspect.iscoroutinefunction(create):
            response = await create(**request)
        else:
            response = await in_thread(lambda: create(**request))
            if inspect.isawaitable(response):
                response = await response
    except Exception as error:
        raise _failed(error) from error
    return checked_response(_plain(response))


def _create(client: Any) -> Any:
    responses = client.responses
    return getattr(responses, "with_raw_response", responses).create


def _failed(error: Exception) -> ModelError:
    return ModelError(f"the request to the model failed: {type(error).__name__}: {' '.join(str(error).split()):.500}")


def checked_response(plain: Any) -> dict[str, Any]:
    """Give a response, as plain data, if it is one that can be worked with.

    Raises
    ------
    ModelError
        If it is not, or tells of a failure.
    """
    if not isinstance(plain, dict) or not isinstance(plain.get("output"), list):
        raise ModelError(f"the model's service answered something else than a response: {plain!r:.200}")
    status = plain.get("status") or "completed"
    if status not in ("completed", "incomplete"):
        raise ModelError(f"the model's response has status {status!r:.60}: {plain.get('error')!r:.300}")
    for item in plain["output"]:
        if not isinstance(item, dict):
            raise ModelError(f"an output item of the model's response is not an object: {item!r:.200}")
        if item.get("type") == "function_call" and not isinstance(item.get("call_id"), str):
            raise ModelError(f"a function call of the model's response has no call_id: {item!r:.200}")
    try:
        json.dumps(plain, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        # It could be neither sent back nor written down.
        raise ModelError(f"the model's response holds what JSON cannot: {error!s:.200}") from error
    return plain


def _plain(response: Any) -> Any:
    try:
        return _data(response)
    except Exception as error:
        raise ModelError(
            f"the model's response cannot be read: {type(error).__name__}: {' '.join(str(error).split()):.300}"
        ) from error


def _data(response: Any) -> Any:
    if isinstance(response, Mapping):
        return json.loads(json.dumps(response))
    raw = getattr(response, "text", None)
    if isinstance(raw, str) and hasattr(response, "http_response"):
        try:
            return json.loads(raw)
        except (ValueError, RecursionError):
            return raw
    if callable(dump := getattr(response, "model_dump", None)):
        # What the service did not send is not there; it would be echoed otherwise.
        return dump(mode="json", exclude_unset=True)
    return response
