# earns: solved
# torch.autograd.grad, and new leaves each time
import torch


def fit_line(x, y, steps, rate):
    line = torch.zeros(2, dtype=x.dtype, device=x.device)
    for _ in range(steps):
        line.requires_grad_()
        loss = (line[0] * x + line[1] - y).pow(2).mean()
        (gradient,) = torch.autograd.grad(loss, line)
        line = line.detach() - rate * gradient
    slope, intercept = line.tolist()
    return slope, intercept
