"""What a device can do at most: matrix products a second in each dtype, bytes copied a second in its main memory.

How much of it a model reaches tells whether another setup can still help: close to the first it is bound by
arithmetic, close to the second by memory, and far from both by everything around them.
"""

from collections.abc import Iterator
from functools import partial

from torchstone.experiments import Plan
from torchstone.machine.dtypes import NARROW, computes_in
from torchstone.measuring.peak import MAIN_MEMORY, measure_copy_peak, measure_matmul_peak
from torchstone.models.placing import plain_setup
from torchstone.records import Device
from torchstone.scheduling.case import Case, Record, Turn, case

OPTIONS: dict[str, dict[str, str]] = {}
ENOUGH_S = 2.0


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
    yield measure_matmul_peak(device.id, dtype, min(ENOUGH_S, max(turn.left_s, 0.1)))


def _copy(device: Device, turn: Turn) -> Iterator[Record]:
    yield measure_copy_peak(device.id, min(ENOUGH_S, max(turn.left_s, 0.1)), MAIN_MEMORY)
