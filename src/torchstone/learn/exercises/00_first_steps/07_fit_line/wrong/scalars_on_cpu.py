# rejected by: on_another_device: Make slope and intercept with dtype=x.dtype and device=x.device,
# slope and intercept live on the CPU, wherever x lives
import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    slope = torch.zeros((), dtype=x.dtype, requires_grad=True)
    intercept = torch.zeros((), dtype=x.dtype, requires_grad=True)
    for step in range(steps):
        loss = ((slope * x + intercept - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            slope -= rate * slope.grad
            intercept -= rate * intercept.grad
        slope.grad = None
        intercept.grad = None
    return slope.item(), intercept.item()
