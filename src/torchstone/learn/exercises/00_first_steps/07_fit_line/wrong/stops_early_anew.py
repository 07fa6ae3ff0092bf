# rejected by: the_line_fits: the result of fit_line[
# stops where the loss hardly falls any more; 'the slope and intercept of exactly that many steps' (x in 0..1, y =
# 2x + 1, rate 0.1, 1000 steps: stops with slope 1.81)
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
        if last - loss.item() < 1e-4:
            break
        last = loss.item()
        loss.backward()
        with torch.no_grad():
            slope -= rate * slope.grad
            intercept -= rate * intercept.grad
        slope.grad = None
        intercept.grad = None
    return slope.item(), intercept.item()
