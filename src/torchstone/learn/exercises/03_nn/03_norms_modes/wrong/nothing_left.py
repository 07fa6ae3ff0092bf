# rejected by: dropout_keeps_the_mean: With p =
# p = 1 divides 0 by 0; 'With p = 1 all are 0, not NaN'
"""Four modules, two of which behave differently while training and in evaluation."""

import torch
from torch import Tensor, nn


class BatchNorm(nn.Module):
    """Normalize each feature over the batch; in evaluation with running statistics."""

    def __init__(self, features: int, momentum: float = 0.1, eps: float = 1e-5) -> None:
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))
        self.register_buffer("running_mean", torch.zeros(features))
        self.register_buffer("running_var", torch.ones(features))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            mean, var = x.mean(0), x.var(0, unbiased=False)
            with torch.no_grad():
                self.running_mean.mul_(1 - self.momentum).add_(self.momentum * mean)
                self.running_var.mul_(1 - self.momentum).add_(self.momentum * x.var(0))
        else:
            mean, var = self.running_mean, self.running_var
        return (x - mean) / (var + self.eps).sqrt() * self.weight + self.bias


class LayerNorm(nn.Module):
    """Normalize each row over its features."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))

    def forward(self, x: Tensor) -> Tensor:
        mean, var = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
        return (x - mean) / (var + self.eps).sqrt() * self.weight + self.bias


class RMSNorm(nn.Module):
    """Divide each row by the root of its mean square."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, x: Tensor) -> Tensor:
        return x / (x.square().mean(-1, keepdim=True) + self.eps).sqrt() * self.weight


class Dropout(nn.Module):
    """Put elements to 0 at random while training, and make up for it in the others."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return x
        keep = torch.rand_like(x) >= self.p
        return torch.where(keep, x, 0.0) / (1 - self.p)
