# rejected by: the_line_lives_with_its_points: Make slope and intercept with dtype=x.dtype and device=x.device
# float32 points are fitted in float64; 'neither in a narrower nor in a wider dtype' (float32 x: the result is no
# float32 number)
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    x, y = x.double(), y.double()
    slope = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    intercept = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    for step in range(steps):
        loss = ((slope * x + intercept - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            slope -= rate * slope.grad
            intercept -= rate * intercept.grad
        slope.grad = None
        intercept.grad = None
    return slope.item(), intercept.item()
