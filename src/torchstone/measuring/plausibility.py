"""Is a model's time possible at all? Its arithmetic against what the device itself does in a matrix product.

A harness that does not wait for the device reports times that no device can reach. The bound is drawn so that honest
results stay below it: a convolution counts a quarter, as Winograd's algorithm can save so much; an accelerator's
float32 peak is taken with its fast modes (TF32) allowed, as convolutions use them unasked; and before anything is
refused the peak is measured up to three times more, longer, as the machine may have been busy before.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from torchstone.measuring.peak import Peak, confirm_impossible, measure_matmul_peak, peak_of
from torchstone.records import Measurement

if TYPE_CHECKING:
    from torchstone.models.inputs import Inputs

WINOGRAD_SAVING = 4.0
"""F(4×4, 3×3) needs a quarter of the multiplications (Lavin and Gray 2016)."""
FIRST_LOOK_S, SECOND_LOOK_S = 0.3, 2.0


@dataclass(frozen=True)
class Arithmetic:
    """Of one call, in floating-point operations."""

    counted: float
    """As textbooks count it, a multiplication and an addition apart."""
    least: float
    """What no algorithm can do without."""


def count_arithmetic(model: nn.Module, inputs: "Inputs") -> Arithmetic | None:
    """What one call computes; None where that can't be counted or nothing of it is known."""
    counter = FlopCounterMode(display=False)
    try:
        with torch.inference_mode(), counter:
            model(*inputs.args, **inputs.kwargs)
    except (
        Exception
    ):  # somebody else's model may refuse the counter's hooks; then there is no bound, and none is claimed
        return None
    counts: dict[Any, int] = counter.get_flop_counts().get("Global", {})
    least = sum(count / _saving(operator) for operator, count in counts.items())
    return Arithmetic(float(sum(counts.values())), least) if least > 0 else None


def _saving(operator: object) -> float:
    return WINOGRAD_SAVING if "convolution" in str(operator) else 1.0


def refuse_beyond_peak(measurement: Measurement, flops: float | None) -> Measurement:
    """The measurement, or the same marked wrong where the device can't have computed so much in its time."""
    if flops is None or measurement.status != "ok":
        return measurement
    device, dtype = measurement.setup.device, measurement.setup.dtype or "float32"
    peak = measured_peak(device, dtype, torch.get_num_threads())
    return confirm_impossible(measurement, peak, partial(measure_peak, device, dtype, SECOND_LOOK_S), flops=flops)


@lru_cache
def measured_peak(device: str, dtype: str, threads: int) -> Peak:
    """Of a device, once a process; `threads` only tells apart what the CPU was measured with."""
    return measure_peak(device, dtype, FIRST_LOOK_S)


def measure_peak(device: str, dtype: str, budget_s: float) -> Peak:
    """Of a device, now."""
    with _fast_modes(device):
        return peak_of((measure_matmul_peak(device, dtype, budget_s),))


@contextmanager
def _fast_modes(device: str) -> Iterator[None]:
    """Within, an accelerator may multiply float32 in its fast modes. The CPU is left alone: its convolutions do not."""
    before = torch.get_float32_matmul_precision()
    if device != "cpu":
        torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
