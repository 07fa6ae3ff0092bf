# earns: solved
# slope and intercept in one tensor of two, updated with sub_(alpha)
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    line = x.new_zeros(2).requires_grad_()
    for _ in range(steps):
        loss = ((line[0] * x + line[1] - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            line.sub_(line.grad, alpha=rate)
        line.grad.zero_()
    slope, intercept = line.tolist()
    return slope, intercept
