# rejected by: the_dtype_is_kept: float64 points deserve a float64 line
# "All of it is computed in the dtype of x … neither in a narrower nor in a wider dtype": slope and intercept are
# float32 for float64 points
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
        slope.grad = None
        intercept.grad = None
    return slope.item(), intercept.item()
