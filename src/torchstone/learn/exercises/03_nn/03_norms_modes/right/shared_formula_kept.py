# earns: solved
# one function for the formula, var_mean, running statistics replaced
import torch
from torch import Tensor, nn


def normalize(x: Tensor, mean: Tensor, var: Tensor, module: nn.Module) -> Tensor:
    return (x - mean).div(torch.sqrt(var + module.eps)).mul(module.weight).add(module.bias)


class BatchNorm(nn.Module):
    def __init__(self, features: int, momentum: float = 0.1, eps: float = 1e-5) -> None:
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))
        self.register_buffer("running_mean", torch.zeros(features))
        self.register_buffer("running_var", torch.ones(features))

    def moved(self, running: Tensor, new: Tensor) -> Tensor:
        return (1 - self.momentum) * running + self.momentum * new.detach()

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return normalize(x, self.running_mean, self.running_var, self)
        var, mean = torch.var_mean(x, dim=0, correction=0)
        self.running_mean = self.moved(self.running_mean, mean)
        self.running_var = self.moved(self.running_var, var * (x.shape[0] / (x.shape[0] - 1)))
        return normalize(x, mean, var, self)


class LayerNorm(nn.Module):
    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))

    def forward(self, x: Tensor) -> Tensor:
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return normalize(x, mean, var, self)


class RMSNorm(nn.Module):
    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, x: Tensor) -> Tensor:
        root = torch.mean(x**2, dim=-1, keepdim=True).add(self.eps).pow(0.5)
        return self.weight * (x / root)


class Dropout(nn.Module):
    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            gone = torch.rand(x.shape, device=x.device) < self.p
            left = max(1 - self.p, 1e-30)
            x = torch.where(gone, torch.zeros_like(x), x / left) if self.p < 1 else x.masked_fill(gone, 0)
        return x
