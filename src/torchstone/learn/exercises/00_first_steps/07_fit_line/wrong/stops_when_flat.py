# rejected by: steps_go_on_where_the_loss_stands: a loss that hardly falls ends nothing
# stops when the loss hardly falls any more; 'Then, `steps` times' / 'exactly the slope and intercept of that many
# steps'
"""Fit a line to points by gradient descent."""

import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    """Slope and intercept after `steps` steps."""
    slope = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    intercept = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    before = float("inf")
    for step in range(steps):
        loss = ((slope * x + intercept - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            slope -= rate * slope.grad
            intercept -= rate * intercept.grad
        slope.grad = intercept.grad = None
        if before - loss.item() < 1e-6 * before < float("inf"):
            break
        before = loss.item()
    return slope.item(), intercept.item()
