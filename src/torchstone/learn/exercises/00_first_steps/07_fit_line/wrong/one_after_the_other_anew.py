# rejected by: steps_are_right: Both gradients belong to the same line
# the intercept's gradient is computed with the new slope; one loss gives both gradients in step 2 (any steps, y not
# 0)
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    slope = torch.zeros((), dtype=x.dtype, device=x.device)
    intercept = torch.zeros((), dtype=x.dtype, device=x.device)
    for step in range(steps):
        slope = slope - rate * 2 * ((slope * x + intercept - y) * x).mean()
        intercept = intercept - rate * 2 * (slope * x + intercept - y).mean()
    return slope.item(), intercept.item()
