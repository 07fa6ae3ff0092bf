"""Does synchronize wait? The same call timed in four ways; where reading a value back takes far longer, it does not.

A number can't be read from a device before it has been computed. So if the call *with its value read back* takes much
longer than the call that was merely synchronized, the synchronize came back too early, and every time that rests on
it is the time of handing work over. What reading back costs by itself, on an idle device, is measured and taken off.
The ways are tried in an order drawn by lot, so that a busy machine disturbs all of them alike.

Stalls of a busy machine make the synchronized times long, and then this comparison is silent. So an audit only looks
before anything is timed; the samples are looked at themselves, too (`waiting`).
"""

import random
import time
from collections.abc import Callable, Mapping
from statistics import median

import msgspec

from torchstone.backends import Backend
from torchstone.measuring.clock import Call, Clock, first_tensor, read_value
from torchstone.measuring.waiting import NoWaitError, WaitWatch, takes_far_longer
from torchstone.records import Measurement

SAMPLES = 11
WAYS = ("none", "synchronize", "readback", "idle readback")
"""Every one of eleven readings must exceed the synchronized median by `FAR_LONGER`: where both are alike, half of them
do not even reach it, so that chance gives fewer than one false alarm in 2,000."""
FEWEST_LOOKS = 3
"""Of a call that is slow beside the budget."""
AUDIT_S = 1e-3
"""So long a time is with the value read back."""


def audit_synchronize(
    backend: Backend,
    device_id: str,
    call: Call,
    calls: int = 1,
    *,
    looks: int = SAMPLES,
    now: Callable[[], float] = time.perf_counter,
    watch: WaitWatch | None = None,
) -> dict[str, tuple[float, ...]]:
    """Seconds a call by each way, as `Measurement.audit` holds them; of a call without a tensor, by the first two.

    `idle readback` is what reading one value costs when there is nothing to wait for; it is not divided by `calls`.
    `watch` looks at the synchronized times; where it has proof, what it raises holds the audit so far.
    """
    clock = Clock(backend, device_id, now)
    readable = clock.time_readback(call, calls) is not None  # warms the reading as well
    ways = WAYS if readable else WAYS[:2]
    order = [way for way in ways for _ in range(looks)]
    random.shuffle(order)
    found: dict[str, list[float]] = {}
    for way in order:
        try:
            found.setdefault(way, []).append(_time(clock, watch or clock, way, call, calls))
        except NoWaitError as error:
            raise NoWaitError(str(error), _as_tuples(found)) from None
    return _as_tuples(found)


def _as_tuples(found: Mapping[str, list[float]]) -> dict[str, tuple[float, ...]]:
    return {way: tuple(samples) for way, samples in found.items() if samples}


def audit_within(
    clock: Clock, call: Call, budget_s: float, watch: WaitWatch | None = None
) -> tuple[dict[str, tuple[float, ...]], str | None]:
    """An audit that keeps to its budget, and why the device's synchronize can't be trusted, or None.

    A few looks that agree are enough to believe a device; before it is refused, or believed although something is odd,
    it gets all of them.
    """
    watch = watch or WaitWatch(clock)
    calls, looks = _size(clock, call, budget_s)
    while True:
        try:
            audit = audit_synchronize(
                clock.backend, clock.device_id, call, calls, looks=looks, now=clock.now, watch=watch
            )
        except NoWaitError as error:
            return error.audit, str(error)
        if looks == SAMPLES or not (watch.suspicion or _is_odd(audit, calls)):
            return audit, explain_no_wait(audit, calls)
        looks = SAMPLES


def _is_odd(audit: Mapping[str, tuple[float, ...]], calls: int) -> bool:
    """Whether the quickest synchronized time is far below the quickest readback. A synchronize that waits can't be
    quicker than the work; but of a call whose times scatter, one may be."""
    synchronized, least = audit.get("synchronize"), _least_readback(audit, calls)
    if not synchronized or least is None:
        return False
    return takes_far_longer(least * calls, min(synchronized) * calls)


def _least_readback(audit: Mapping[str, tuple[float, ...]], calls: int) -> float | None:
    """Seconds a call, without what reading costs by itself."""
    if not audit.get("readback"):
        return None
    return min(audit["readback"]) - median(audit.get("idle readback") or (0.0,)) / calls


def _size(clock: Clock, call: Call, budget_s: float) -> tuple[int, int]:
    """How many calls make a time, and how often each way is tried.

    By what they take *with the value read back*: on a device that nobody waits for the calls of a sample may be a
    thousand times as much work as they seem to be.
    """
    clock.time_readback(call)  # finishes what earlier calls have left
    call_s = clock.time_readback(call) or clock.time_synchronized(call)[0]
    calls = max(1, round(AUDIT_S / max(call_s, 1e-9)))
    looks = int(budget_s / (len(WAYS) * calls * max(call_s, 1e-9)))
    return calls, max(FEWEST_LOOKS, min(SAMPLES, looks))


def _time(clock: Clock, timer: Clock | WaitWatch, way: str, call: Call, calls: int) -> float:
    if way == "none":
        return clock.time_unsynchronized(call, calls)
    if way == "synchronize":
        return timer.time_synchronized(call, calls)[0]
    if way == "readback":
        return clock.time_readback(call, calls) or 0.0
    return _time_idle_readback(clock, call)


def _time_idle_readback(clock: Clock, call: Call) -> float:
    """Of a value that has been read already, so that it is certainly there."""
    tensor = first_tensor(call())
    read_value(tensor)
    return clock.time_reading(tensor)


def explain_no_wait(audit: Mapping[str, tuple[float, ...]], calls: int = 1) -> str | None:
    """Why the device's synchronize can't be trusted, or None; `calls` made a time of the audit."""
    synchronized, least = audit.get("synchronize"), _least_readback(audit, calls)
    if not synchronized or least is None:
        return None
    waited = median(synchronized)
    if not takes_far_longer(least * calls, waited * calls):
        return None
    return (
        f"synchronize does not wait: the call seems to take {waited:.3g} s, but its value can be read only after "
        f"{median(audit['readback']):.3g} s"
    )


def audited(measurement: Measurement, call: Call, watch: WaitWatch) -> Measurement:
    """The measurement with an audit that is made after it, or the same marked wrong; then `watch` knows why, too."""
    clock, calls = watch.clock, measurement.calls_per_sample
    try:
        audit = audit_synchronize(clock.backend, clock.device_id, call, calls, now=clock.now, watch=watch)
    except NoWaitError as error:
        return msgspec.structs.replace(measurement, status="wrong", reason=str(error), audit=error.audit)
    found = refuse_unwaited(msgspec.structs.replace(measurement, audit=audit))
    if found.status == "wrong":
        watch.reason = found.reason
    return found


def refuse_unwaited(measurement: Measurement) -> Measurement:
    """The measurement, or the same marked wrong where its audit shows that nobody waited for the device."""
    audit = {"synchronize": measurement.samples, **measurement.audit}
    reason = explain_no_wait(audit, measurement.calls_per_sample)
    if reason is None or measurement.status != "ok":
        return measurement
    return msgspec.structs.replace(measurement, status="wrong", reason=reason)
