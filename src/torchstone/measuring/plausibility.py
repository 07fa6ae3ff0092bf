"""Is a model's time possible at all? Its arithmetic against what the device itself does in a matrix product.

A harness that does not wait for the device reports times that no device can reach. The bound is drawn so that honest
results stay below it: a convolution counts a quarter, as Winograd's algorithm can save so much; an accelerator's
float32 peak is taken with its fast modes (TF32) allowed, as convolutions use them unasked; and before anything is
refused the peak is measured up to three times more, longer and with the setup's own threads, as the machine may have
been busy before. Where it was busy meanwhile too, or these peaks lie far apart, the peak is in doubt, not the result.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING, Any

import msgspec
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from torchstone.machine import busyness
from torchstone.measuring.peak import SCATTER, Peak, confirm_impossible, measure_matmul_peak, peak_of
from torchstone.records import PEAK_IN_DOUBT, Measurement, Setup

if TYPE_CHECKING:
    from torchstone.models.inputs import Inputs

WINOGRAD_SAVING = 4.0
"""F(4×4, 3×3) needs a quarter of the multiplications (Lavin and Gray 2016)."""
FIRST_LOOK_S, SECOND_LOOK_S = 0.3, 2.0
MOST_STARVED = 50.0
"""Chosen, not calibrated: the median of five products was once a forty-fifth of what was possible (`measuring.peak`),
and the best of many is starved less. What is further beyond the peak stays impossible."""


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
    """The measurement, or the same marked wrong where the device can't have computed so much in its time; with a doubt
    instead where the peak itself can't be believed."""
    if flops is None or measurement.status != "ok":
        return measurement
    device, dtype = measurement.setup.device, measurement.setup.dtype or "float32"
    looks = [measured_peak(device, dtype, torch.get_num_threads())]
    before = busyness.look()

    def look_again() -> Peak:
        with _threads_of(measurement.setup):
            looks.append(measure_peak(device, dtype, SECOND_LOOK_S))
        return looks[-1]

    found = confirm_impossible(measurement, looks[0], look_again, flops=flops)
    if found.status == measurement.status:
        return found
    reached = [one.flops_per_s[dtype] for one in looks]
    doubt = _doubt(device, reached, busyness.between(before, busyness.look()))
    if doubt is None or flops / median(measurement.samples) > MOST_STARVED * max(reached):
        return found
    facts = {**measurement.facts, PEAK_IN_DOUBT: f"{(found.reason or '').partition('; ')[0]}; but {doubt}"}
    return msgspec.structs.replace(measurement, facts=facts)


def _doubt(device: str, looks: list[float], meanwhile: busyness.Business) -> str | None:
    """Why the peaks are not to be believed. Other programs starve the CPU alone: a harness that does not wait for an
    accelerator is refused beside them too."""
    if device == "cpu" and meanwhile.is_busy:
        return "the machine was busy while that was measured"
    if max(looks) > SCATTER * min(looks):
        return f"that differed {max(looks) / min(looks):.1f} times from look to look"
    return None


@contextmanager
def _threads_of(setup: Setup) -> Iterator[None]:
    """On a starved machine one thread reaches more than all, of which each waits for the slowest."""
    before = torch.get_num_threads()
    torch.set_num_threads((setup.threads if setup.device == "cpu" else None) or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


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
