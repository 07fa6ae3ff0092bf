# rejected by: no_step_is_left_out: with a large rate the loss grows
# "Then, `steps` times": stops early when the loss grows
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    slope = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    intercept = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    last = float("inf")
    for step in range(steps):
        loss = ((slope * x + intercept - y) ** 2).mean()
        if loss.item() > last:
            break
        last = loss.item()
        loss.backward()
        with torch.no_grad():
            slope -= rate * slope.grad
            intercept -= rate * intercept.grad
        slope.grad = None
        intercept.grad = None
    return slope.item(), intercept.item()
