"""What a device can do at most: matrix products a second in each dtype, bytes copied a second in its main memory.

How much of it a model reaches tells whether another setup can still help: close to the first it is bound by
arithmetic, close to the second by memory, and far from both by everything around them.

On a busy machine every try may be too slow, and they may agree all the same. So the search goes on there for as long as
there is time, in this turn and in others, and a peak that is still in doubt is told as *at least* that much.
"""

from collections.abc import Callable, Iterator
from functools import partial

import msgspec

from torchstone.experiments import Plan
from torchstone.machine import busyness
from torchstone.machine.dtypes import NARROW, computes_in
from torchstone.measuring.peak import MAIN_MEMORY, better_of, measure_copy_peak, measure_matmul_peak
from torchstone.models.placing import plain_setup
from torchstone.records import IN_DOUBT, Device, Measurement
from torchstone.scheduling.case import Case, Record, Turn, case

OPTIONS: dict[str, dict[str, str]] = {}
ENOUGH_S = 2.0
"""For one search on a quiet machine."""
LEAST_S = 0.1
MOST_SEARCHES = 8
"""In a turn, each half as long again as the one before, so that the time for many tries is found."""


def cases(plan: Plan) -> Iterator[Case]:
    """float32 and the copy of every device, then its narrower dtypes."""
    for device in plan.devices:
        setup = plain_setup(device)
        yield case("peak/matmul/float32", partial(_multiply, device, "float32"), setup=setup, rank=2, weight=0.3)
        yield case("peak/copy", partial(_copy, device), setup=setup, rank=2, weight=0.2)
        for dtype in NARROW:
            if computes_in(device, dtype):
                yield case(f"peak/matmul/{dtype}", partial(_multiply, device, dtype), setup=setup, rank=5, weight=0.3)


def _multiply(device: Device, dtype: str, turn: Turn) -> Iterator[Record]:
    yield search_until_sure(partial(measure_matmul_peak, device.id, dtype), turn)


def _copy(device: Device, turn: Turn) -> Iterator[Record]:
    yield search_until_sure(lambda seconds: measure_copy_peak(device.id, seconds, MAIN_MEMORY), turn)


def search_until_sure(
    search: Callable[[float], Measurement], turn: Turn, look: Callable[[], busyness.Usage] = busyness.look
) -> Measurement:
    """The best of the searches of this turn and of those before, which go on while the peak is in doubt."""
    best: Measurement | None = None
    for number in range(MOST_SEARCHES):
        before = look()
        found = search(min(ENOUGH_S * 1.5**number, max(turn.left_s, LEAST_S)))
        if found.status != "ok":
            break
        is_busy = busyness.between(before, look()).is_busy
        found = _doubted(found) if is_busy else found
        best = found if best is None else better_of(best, found)
        if IN_DOUBT not in best.facts or turn.left_s < LEAST_S:
            break
    if best is None:
        return found
    for one in turn.earlier:
        if isinstance(one, Measurement) and one.samples and one.name == best.name and one.setup == best.setup:
            best = better_of(best, one)
    turn.is_undecided = IN_DOUBT in best.facts
    return best


def _doubted(found: Measurement) -> Measurement:
    """A search on a busy machine can't vouch for itself: others may have slowed down every try."""
    counted = f"{found.facts['agree']} of {found.facts['tries']} tries came close to it"
    return msgspec.structs.replace(found, facts={**found.facts, IN_DOUBT: f"the machine was busy; {counted}"})
