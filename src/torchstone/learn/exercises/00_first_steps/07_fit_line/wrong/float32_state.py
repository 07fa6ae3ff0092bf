# rejected by: the_dtype_is_kept: float64 points deserve a float64 line: m
# slope and intercept are float32 whatever x is; 'computed in the dtype of x ... neither in a narrower' (float64 x:
# off by 1e-8)
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    slope = torch.tensor(0.0, device=x.device, requires_grad=True)
    intercept = torch.tensor(0.0, device=x.device, requires_grad=True)
    for step in range(steps):
        loss = ((slope * x + intercept - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            slope -= rate * slope.grad
            intercept -= rate * intercept.grad
        slope.grad = None
        intercept.grad = None
    return slope.item(), intercept.item()
