# rejected by: steps_are_right: Both gradients belong to the same line: compute
# the gradient of the intercept is computed with the slope that has already moved
import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    slope = torch.zeros((), dtype=x.dtype, device=x.device)
    intercept = torch.zeros((), dtype=x.dtype, device=x.device)
    for _ in range(steps):
        slope = slope - rate * 2 * ((slope * x + intercept - y) * x).mean()
        intercept = intercept - rate * 2 * (slope * x + intercept - y).mean()
    return slope.item(), intercept.item()
