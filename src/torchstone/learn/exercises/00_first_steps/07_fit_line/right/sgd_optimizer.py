# earns: solved
# torch.optim.SGD takes the steps
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    slope, intercept = (torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True) for _ in range(2))
    optimizer = torch.optim.SGD([slope, intercept], lr=rate)
    for _ in range(steps):
        loss = ((slope * x + intercept - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return slope.item(), intercept.item()
