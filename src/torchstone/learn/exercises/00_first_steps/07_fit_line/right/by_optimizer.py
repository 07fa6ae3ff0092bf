# earns: solved
# an optimizer takes the steps
import torch
from torch.nn import functional


def fit_line(x, y, steps, rate):
    slope = torch.nn.Parameter(x.new_zeros(()))
    intercept = torch.nn.Parameter(x.new_zeros(()))
    optimizer = torch.optim.SGD([slope, intercept], lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        functional.mse_loss(slope * x + intercept, y).backward()
        optimizer.step()
    return float(slope), float(intercept)
