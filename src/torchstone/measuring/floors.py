"""The floor of memory: what is left of each series when a window of calls is over, as leaks are looked for in it."""

import gc
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torchstone.backends import Backend
from torchstone.measuring.heap import free_heap_bytes
from torchstone.measuring.memory import SERIES, read_series

NumberedCall = Callable[[int], Any]
"""Called with 0, 1, 2, …; a varied-shape call takes its shape from the number."""

WARM_UP_WINDOWS = 6
FREE_HEAP = "free heap"


def numbered(call: Callable[..., Any]) -> NumberedCall:
    """A call that takes no number is called without one."""
    try:
        inspect.signature(call).bind(0)
    except TypeError:
        return lambda _: call()
    except ValueError:  # a built-in that has no signature
        pass
    return call


def follow(
    backend: Backend, device_id: str, call: NumberedCall, windows: int, calls_per_window: int, empties: bool
) -> dict[str, list[int | None]]:
    """The floor of each window in each series: what is left when its calls are over. Warm-up windows are dropped."""
    floors: dict[str, list[int | None]] = {series: [] for series in (*SERIES, FREE_HEAP)}
    with _older_objects_aside():
        for window in range(WARM_UP_WINDOWS + windows):
            for step in range(calls_per_window):
                call(window * calls_per_window + step)
            floor = _read(backend, device_id, empties)
            if window >= WARM_UP_WINDOWS:
                for series, value in floor.items():
                    floors[series].append(value)
    return floors


@contextmanager
def _older_objects_aside() -> Iterator[None]:
    """Collecting garbage after each window then looks at new objects only: torch's own make it take 0.1 s."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _read(backend: Backend, device_id: str, empties: bool) -> dict[str, int | None]:
    if empties:
        backend.synchronize(device_id)
        backend.empty_cache(device_id)
    return {**read_series(backend, device_id), FREE_HEAP: free_heap_bytes()}
