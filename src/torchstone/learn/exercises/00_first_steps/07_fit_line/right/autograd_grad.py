# earns: solved
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    numbers = [torch.zeros([], dtype=x.dtype, device=x.device) for _ in "mb"]
    while steps > 0:
        slope, intercept = [number.detach().requires_grad_() for number in numbers]
        with torch.enable_grad():
            loss = (slope * x + intercept).sub(y).square().mean()
        gradients = torch.autograd.grad(loss, (slope, intercept))
        numbers = [
            number.detach() - rate * gradient for number, gradient in zip((slope, intercept), gradients, strict=True)
        ]
        steps -= 1
    return float(numbers[0]), float(numbers[1])
