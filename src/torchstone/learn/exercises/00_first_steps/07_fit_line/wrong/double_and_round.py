# rejected by: the_line_lives_with_its_points: Make slope and intercept with dtype=x.dtype and
# computed in float64 and rounded to float32; 'neither in a narrower nor in a wider dtype'
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    kind, x, y = x.dtype, x.double(), y.double()
    slope = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    intercept = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    for _ in range(steps):
        loss = ((slope * x + intercept - y) ** 2).mean()
        loss.backward()
        # In place and unrecorded: slope stays the same leaf tensor.
        with torch.no_grad():
            slope -= rate * slope.grad
            intercept -= rate * intercept.grad
        slope.grad = intercept.grad = None
    return slope.to(kind).item(), intercept.to(kind).item()
