# rejected by: the_line_lives_with_its_points: slope and intercept are tensors of the dtype of x, from the
# slope and intercept are Python floats; 'slope and intercept live where `x` lives'
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    slope, intercept = 0.0, 0.0
    for _ in range(steps):
        error = slope * x + intercept - y
        down, up = 2 * (error * x).mean().item(), 2 * error.mean().item()
        slope, intercept = slope - rate * down, intercept - rate * up
    return slope, intercept
