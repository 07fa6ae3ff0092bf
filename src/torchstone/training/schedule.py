"""The learning rate of every step: up from a 25th in the first 30 % of the steps, then down to almost nothing.

A pure function of the step: nothing to save, and nothing that could be resumed wrongly. The shape and its numbers are
those of `torch.optim.lr_scheduler.OneCycleLR` (Smith and Topin 2018, "super-convergence").
"""

import math

WARM_UP_SHARE = 0.3
START_DIVISOR = 25.0
END_DIVISOR = 1e4
"""Of the starting rate, as in OneCycleLR."""


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
