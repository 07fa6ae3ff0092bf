"""How much of a call's time is spent in Python code, and not in torch's operators.

An exported model does not run a person's Python: a wait, a counter, a loop over a list. What such code takes looks like
a gain of the engine that left it out, so a person has to be told. Calling modules and operators takes Python's time in
every model, and that is no code of the person's: so much for each operator is not counted.
"""

import time
from collections.abc import Callable
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

AROUND_AN_OPERATOR_S = 100e-6
"""Of Python's time around one operator, at most: a module's call, its hooks, and that somebody watches (tens of
microseconds on a slow core)."""
CALLS = 5
ENOUGH_S = 1.0
"""No further call is watched once so much was spent."""


def measure_python_share(call: Callable[[], Any], now: Callable[[], float] = time.perf_counter) -> float | None:
    """From 0 to 1, by the least seconds that a few calls spent in operators and outside of them: another program on the
    machine is not the model's code. None where the call cannot be watched."""
    seen: list[tuple[float, float]] = []
    started = now()
    while len(seen) < CALLS and (not seen or now() - started < ENOUGH_S):
        try:
            seen.append(_watch(call, now))
        except Exception:  # a person's model may not let itself be watched: no share is claimed
            return None
    inside_s, outside_s = (min(seconds) for seconds in zip(*seen, strict=True))
    return outside_s / (inside_s + outside_s) if outside_s > 0 else 0.0


def _watch(call: Callable[[], Any], now: Callable[[], float]) -> tuple[float, float]:
    """Seconds of operators with what calling them takes, and those that this does not explain."""
    with _Watch(now) as watch:
        began = now()
        call()
        whole_s = now() - began
    explained_s = watch.inside_s + AROUND_AN_OPERATOR_S * watch.operators
    return explained_s, max(whole_s - explained_s, 0.0)


class _Watch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Times every operator. Torch's profiler would, but it writes lines of its own to stderr."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._now, self.inside_s, self.operators = now, 0.0, 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        began = self._now()
        try:
            return func(*args, **(kwargs or {}))
        finally:
            self.inside_s += self._now() - began
            self.operators += 1
