"""The learning rate and the side of the photographs at every step.

Pure functions of the step: nothing to save, and nothing that could be resumed wrongly.

The rate goes up from a 25th in the first 30 % of the steps, then down to almost nothing; its shape and its numbers are
those of `torch.optim.lr_scheduler.OneCycleLR` (Smith and Topin 2018, "super-convergence"). The photographs grow: what
is coarse is learnt from small ones, at a fraction of the work (Howard 2018, "progressive resizing"; Tan and Le 2021,
EfficientNetV2).
"""

import math

WARM_UP_SHARE = 0.3
START_DIVISOR = 25.0
END_DIVISOR = 1e4
"""Of the starting rate, as in OneCycleLR."""
GROWTH = (2 / 3, 5 / 6, 1.0, 1.0)
"""Of the full side, for a quarter of the steps each. From a half, with one quarter at the full side, one epoch took a
quarter less time again and came out a point worse over three seeds."""
SIDES_APART = 32
"""Pixels: EfficientNet halves the side five times, and what is between two multiples is padded."""
SMALLEST_GROWING = 64
"""Pixels: below it a small step is mostly overhead, so nothing would be gained."""


def learning_rate_at(step: int, steps: int, highest: float) -> float:
    """For step 0 to steps - 1."""
    start = highest / START_DIVISOR
    peak = WARM_UP_SHARE * steps - 1
    last = steps - 1
    if step <= peak:
        return _between(start, highest, step / peak if peak > 0 else 1.0)
    return _between(highest, start / END_DIVISOR, (step - peak) / (last - peak))


def _between(first: float, last: float, share: float) -> float:
    """Along half a cosine."""
    return last + (first - last) / 2.0 * (1.0 + math.cos(math.pi * share))


def side_at(step: int, steps: int, side: int) -> int:
    """Of the photographs that step 0 to steps - 1 learns from, where they grow to `side`."""
    share = GROWTH[len(GROWTH) * step // steps]
    return min(side, max(SMALLEST_GROWING, round(side * share / SIDES_APART) * SIDES_APART))


def growing_work(side: int) -> float:
    """The pixels of a training that grows to `side`, over those of one that does not."""
    sides = [side_at(quarter, len(GROWTH), side) for quarter in range(len(GROWTH))]
    return sum((one / side) ** 2 for one in sides) / len(sides)
