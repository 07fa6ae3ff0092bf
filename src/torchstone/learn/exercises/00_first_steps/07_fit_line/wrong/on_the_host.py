# rejected by: on_another_device: Make slope and intercept on the device of x, device=x.device,
# brings the points to the CPU and computes there; 'computed in the dtype of `x` and on its device'
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    x, y = x.cpu(), y.cpu()
    slope = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    intercept = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    for step in range(steps):
        loss = ((slope * x + intercept - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            slope -= rate * slope.grad
            intercept -= rate * intercept.grad
        slope.grad = intercept.grad = None
    return slope.item(), intercept.item()
