# earns: solved
# one tensor of two weights and torch.optim.SGD
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    line = x.new_zeros(2).requires_grad_()
    optimizer = torch.optim.SGD([line], lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        slope, intercept = line
        torch.nn.functional.mse_loss(slope * x + intercept, y).backward()
        optimizer.step()
    slope, intercept = line.tolist()
    return slope, intercept
