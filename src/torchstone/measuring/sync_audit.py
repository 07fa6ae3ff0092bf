"""Does synchronize wait? The same call timed in four ways; where reading a value back takes far longer, it does not.

A number can't be read from a device before it has been computed. So if the call *with its value read back* takes much
longer than the call that was merely synchronized, the synchronize came back too early, and every time that rests on
it is the time of handing work over. What reading back costs by itself, on an idle device, is measured and taken off.
The ways are tried in an order drawn by lot, so that a busy machine disturbs all of them alike.
"""

import random
import time
from collections.abc import Callable, Mapping
from statistics import median

import msgspec

from torchstone.backends import Backend
from torchstone.measuring.timing import Call, Clock, first_tensor
from torchstone.records import Measurement

SAMPLES = 11
WAYS = ("none", "synchronize", "readback", "idle readback")
FAR_LONGER = 1.5
"""Every one of the eleven must exceed the synchronized median by this factor: where both are alike, half of them do not
even reach it, so that chance gives fewer than one false alarm in 2,000."""
_LEAST_S = 1e-4
"""And by so much in absolute terms: below, it is the host's own work."""


def audit_synchronize(
    backend: Backend, device_id: str, call: Call, calls: int = 1, *, now: Callable[[], float] = time.perf_counter
) -> dict[str, tuple[float, ...]]:
    """Seconds a call by each way, as `Measurement.audit` holds them; of a call without a tensor, by the first two.

    `idle readback` is what reading one value costs when there is nothing to wait for; it is not divided by `calls`.
    """
    clock = Clock(backend, device_id, now)
    readable = clock.time_readback(call, calls) is not None  # warms the reading as well
    ways = WAYS if readable else WAYS[:2]
    order = [way for way in ways for _ in range(SAMPLES)]
    random.shuffle(order)
    found: dict[str, list[float]] = {}
    for way in order:
        found.setdefault(way, []).append(_time(clock, way, call, calls))
    return {way: tuple(samples) for way, samples in found.items()}


def _time(clock: Clock, way: str, call: Call, calls: int) -> float:
    if way == "none":
        return clock.time_unsynchronized(call, calls)
    if way == "synchronize":
        return clock.time_synchronized(call, calls)[0]
    if way == "readback":
        return clock.time_readback(call, calls) or 0.0
    return _time_idle_readback(clock, call)


def _time_idle_readback(clock: Clock, call: Call) -> float:
    """Of a value that has been read already, so that it is certainly there."""
    value = first_tensor(call()).detach().flatten()[0]
    value.item()
    start = clock.now()
    value.item()
    return clock.now() - start


def explain_no_wait(audit: Mapping[str, tuple[float, ...]], calls: int = 1) -> str | None:
    """Why the device's synchronize can't be trusted, or None."""
    synchronized, readback = audit.get("synchronize"), audit.get("readback")
    if not synchronized or not readback:
        return None
    waited = median(synchronized)
    alone = median(audit.get("idle readback") or (0.0,)) / calls
    least = min(readback) - alone
    if least <= FAR_LONGER * waited or (least - waited) * calls <= _LEAST_S:
        return None
    return (
        f"synchronize does not wait: the call seems to take {waited:.3g} s, but its value can be read only after "
        f"{median(readback):.3g} s"
    )


def refuse_unwaited(measurement: Measurement) -> Measurement:
    """The measurement, or the same marked wrong where its audit shows that nobody waited for the device."""
    audit = {"synchronize": measurement.samples, **measurement.audit}
    reason = explain_no_wait(audit, measurement.calls_per_sample)
    if reason is None or measurement.status != "ok":
        return measurement
    return msgspec.structs.replace(measurement, status="wrong", reason=reason)
