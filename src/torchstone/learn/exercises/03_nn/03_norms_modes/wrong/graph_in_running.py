# rejected by: batch_norm_keeps_running_statistics: A running statistic that requires a gradient keeps the graph of every
# "the running ones must not hold on to a graph": they are rebuilt from the batch statistics without detach, which
# keeps every batch alive
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
            mean = x.mean(0)
            var = (x - mean).square().mean(0)
            n = len(x)
            self.running_mean = (1 - self.momentum) * self.running_mean + self.momentum * mean
            self.running_var = (1 - self.momentum) * self.running_var + self.momentum * var * (n / (n - 1))
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
        mean = x.mean(-1, keepdim=True)
        var = (x - mean).square().mean(-1, keepdim=True)
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
        if self.p == 1:
            return torch.zeros_like(x)
        keep = torch.rand_like(x) >= self.p
        return torch.where(keep, x / (1 - self.p), 0.0)
