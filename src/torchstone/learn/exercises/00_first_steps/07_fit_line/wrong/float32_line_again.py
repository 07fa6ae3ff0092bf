# rejected by: the_dtype_is_kept: float64 points deserve a float64 line: make slope and intercept
# slope and intercept are always float32, also for float64 points; 'The line is to be computed in the dtype of `x`'
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    slope = torch.zeros((), device=x.device, requires_grad=True)
    intercept = torch.zeros((), device=x.device, requires_grad=True)
    for step in range(steps):
        loss = ((slope * x + intercept - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            slope -= rate * slope.grad
            intercept -= rate * intercept.grad
        slope.grad = intercept.grad = None
    return slope.item(), intercept.item()
