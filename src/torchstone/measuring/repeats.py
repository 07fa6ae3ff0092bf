"""A fixed number of warm-ups and repeats: how TorchBench timed for PyTorch's post of May 2022.

Not how we would time, but what that graph must be set beside. Times are taken with synchronization; those without it,
which the post had on the GPU, stand in the audit.
"""

from torchstone.backends import find_device
from torchstone.measuring.clock import Call, Clock
from torchstone.measuring.timing import Verify, status_of
from torchstone.measuring.waiting import watch_of
from torchstone.records import Measurement, Setup

PROTOCOL = "post-2022"
WARM_UPS = 3
REPEATS = 10
OVERRUN = 1.2
"""How far the calls may exceed their seconds: a first call is slower than those after it."""


def measure_repeats(
    call: Call, within_s: float, *, name: str, setup: Setup, verify: Verify | None = None
) -> Measurement:
    """Three warm-ups, ten synchronized repeats, ten without; skipped where the seconds cannot hold them, and refused
    where the device is not waited for."""
    backend, device = find_device(setup.device)
    clock = Clock(backend, device.id)
    watch = watch_of(clock, device.kind)
    timer = watch or clock
    calls = WARM_UPS + 2 * REPEATS
    try:
        first_s, output = timer.time_synchronized(call)
        if (calls - 1) * first_s > OVERRUN * within_s:
            reason = (
                f"a call takes {first_s:.3g} s, and the protocol's {calls} need {calls * first_s:.0f} s: more --budget"
            )
            return Measurement(
                name=name,
                setup=setup,
                unit="s",
                status="skipped",
                reason=reason,
                first_call_s=first_s,
                protocol=PROTOCOL,
            )
        for _ in range(WARM_UPS - 1):
            timer.time_synchronized(call)
        samples = []
        for _ in range(REPEATS):
            seconds, output = timer.time_synchronized(call)
            samples.append(seconds)
        if watch is not None:
            watch.settle(lambda: timer.time_synchronized(call))
        unsynchronized = tuple(clock.time_unsynchronized(call) for _ in range(REPEATS))
        wrong = verify(output) if verify is not None else None
    except Exception as error:  # the exception is the result
        status, reason = status_of(error)
        return Measurement(name=name, setup=setup, unit="s", protocol=PROTOCOL, status=status, reason=reason)
    if wrong is not None:
        return Measurement(name=name, setup=setup, unit="s", protocol=PROTOCOL, status="wrong", reason=wrong)
    return Measurement(
        name=name,
        setup=setup,
        unit="s",
        samples=tuple(samples),
        protocol=PROTOCOL,
        first_call_s=first_s,
        audit={"none": unsynchronized},
    )
