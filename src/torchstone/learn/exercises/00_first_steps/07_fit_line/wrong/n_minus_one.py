# rejected by: steps_are_right: gradient from the slope and from the intercept
# the squared distances are divided by n - 1, which is no mean and NaN for one point
import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    slope = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    intercept = torch.zeros((), dtype=x.dtype, device=x.device, requires_grad=True)
    for step in range(steps):
        loss = ((slope * x + intercept - y) ** 2).sum() / (len(x) - 1)
        loss.backward()
        with torch.no_grad():
            slope -= rate * slope.grad
            intercept -= rate * intercept.grad
        slope.grad = None
        intercept.grad = None
    return slope.item(), intercept.item()
