# earns: solved
# an optimizer takes the steps, gradients from torch.autograd.grad
import torch
from torch import Tensor


def fit_line(x: Tensor, y: Tensor, steps: int, rate: float) -> tuple[float, float]:
    slope, intercept = (x.new_zeros(()).requires_grad_() for _ in range(2))
    optimizer = torch.optim.SGD([slope, intercept], lr=rate)
    for _ in range(steps):
        loss = torch.nn.functional.mse_loss(torch.addcmul(intercept, slope, x), y)
        slope.grad, intercept.grad = torch.autograd.grad(loss, (slope, intercept))
        optimizer.step()
    return float(slope.detach()), float(intercept.detach())
