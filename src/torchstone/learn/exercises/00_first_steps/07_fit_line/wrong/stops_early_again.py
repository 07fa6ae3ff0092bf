# rejected by: no_step_is_left_out: Every step is taken, and taken whole: no loss is too small for
# stops as soon as the slopes of the loss are small; 'Then, `steps` times'
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    slope = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    intercept = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    for step in range(steps):
        loss = ((slope * x + intercept - y) ** 2).mean()
        loss.backward()
        if max(abs(slope.grad.item()), abs(intercept.grad.item())) < 1e-3:
            break
        with torch.no_grad():
            slope -= rate * slope.grad
            intercept -= rate * intercept.grad
        slope.grad = intercept.grad = None
    return slope.item(), intercept.item()
