"""Blocking calls beside each other and beside an event loop, in daemon threads.

These threads are of no pool: one that hangs keeps neither the others waiting nor the process alive, which those of
``concurrent.futures`` and ``asyncio.to_thread`` would, since they are joined at exit.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import queue
import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["PARALLEL", "in_thread", "in_threads"]

PARALLEL = 32
"""Threads that one `in_threads` has at most."""

Result = TypeVar("Result")


async def in_thread(function: Callable[[], Result]) -> Result:
    """Call a function in a thread of its own, and wait for it."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Result | None, error: BaseException | None) -> None:
        if future.done():
            return  # nobody waits any more
        if error is None:
            future.set_result(result)  # type: ignore[arg-type]
        elif isinstance(error, StopIteration):  # which no future can hold
            future.set_exception(RuntimeError(f"StopIteration: {error}"))
        else:
            future.set_exception(error)

    def work() -> None:
        result, failure = None, None
        try:
            result = context.run(function)
        except BaseException as error:
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(settle, result, failure)

    threading.Thread(target=work, name="sid", daemon=True).start()
    return await future


def in_threads(functions: Sequence[Callable[[], Result]]) -> list[Result]:
    """Call functions at the same time, each in a thread, and give their results in their order.

    What the first to fail raises is raised at once; the others are left to themselves then, and those that have not
    begun never do.

    Examples
    --------
    >>> in_threads([lambda: 1, lambda: 2])
    [1, 2]
    """
    if len(functions) == 1:
        return [functions[0]()]
    waiting: queue.SimpleQueue[tuple[int, Callable[[], Result]]] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, Result | None, BaseException | None]] = queue.SimpleQueue()
    given_up = threading.Event()
    for place, function in enumerate(functions):
        waiting.put((place, function))

    def work() -> None:
        while not given_up.is_set():
            try:
                place, function = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((place, function(), None))
            except BaseException as error:
                done.put((place, None, error))

    for _ in range(min(len(functions), PARALLEL)):
        threading.Thread(target=contextvars.copy_context().run, args=(work,), name="sid", daemon=True).start()
    results: dict[int, Result] = {}
    try:
        while len(results) < len(functions):
            place, result, error = done.get()
            if error is not None:
                raise error
            results[place] = result  # type: ignore[assignment]
    finally:
        given_up.set()
    return [results[place] for place in range(len(functions))]
