"""The CPU allocator's own count of a call: every allocation and release that torch's profiler reports.

Torch keeps no counter of the CPU's memory, but its allocator tells the profiler of each block, those included that an
operator takes for itself, which the dispatcher does not see. It costs a few percent of the call's time.

The call runs twice under the profiler and its second run is counted: the allocator does not know the sizes of blocks
that are older than the profiler, so what the first run leaves behind (gradients) must have been seen to come in order
to be seen to go.
"""

import os
from collections.abc import Callable, Iterable
from typing import Any

MEMORY_EVENT = "[memory]"
COUNTED = "torchstone: counted"
CPU = 0
"""c10::DeviceType::CPU."""
_QUIET = ("KINETO_LOG_LEVEL", "99")
"""Else the profiler writes two lines to stderr each time."""


def cpu_peak_bytes(call: Callable[[], Any]) -> int:
    """The most that the second of two calls held on the CPU at once, above what was held when it began."""
    from torch.profiler import ProfilerActivity, profile, record_function

    os.environ.setdefault(*_QUIET)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True, acc_events=True) as profiler:
        call()
        with record_function(COUNTED):
            call()
    events = sorted(profiler.profiler.kineto_results.events(), key=lambda event: event.start_ns())
    begin = next(event.start_ns() for event in events if event.name() == COUNTED)
    return _highest((event for event in events if _is_of_the_cpu(event)), begin)


def _is_of_the_cpu(event: Any) -> bool:
    return bool(event.name() == MEMORY_EVENT and event.device_type().value == CPU)


def _highest(events: Iterable[Any], begin_ns: int) -> int:
    before = now = highest = 0
    for event in events:
        now += event.nbytes()
        if event.start_ns() < begin_ns:
            before = highest = now
        else:
            highest = max(highest, now)
    return highest - before
