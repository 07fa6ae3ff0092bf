# rejected by: steps_are_right: the result of fit_line
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    slope = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    intercept = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    for _ in range(steps):
        loss = ((slope * x + intercept - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            slope -= rate * slope.grad
            intercept -= rate * intercept.grad
        slope.grad = intercept.grad = None
    matrix = torch.stack([x, torch.ones_like(x)], 1)
    slope, intercept = torch.linalg.solve(matrix.T @ matrix, matrix.T @ y)
    return slope.item(), intercept.item()
