# rejected by: batch_norm_keeps_running_statistics: A running statistic that requires a gradient keeps the graph
# the running variance holds on to the graph of every batch; 'the running ones must not hold on to a graph'
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
        if not self.training:
            return (x - self.running_mean) * (self.running_var + self.eps).rsqrt() * self.weight + self.bias
        n = x.shape[0]
        mean = x.sum(0) / n
        centered = x - mean
        var = centered.square().sum(0) / n
        with torch.no_grad():
            self.running_mean.mul_(1 - self.momentum).add_(mean, alpha=self.momentum)
        self.running_var = (1 - self.momentum) * self.running_var + self.momentum * var * n / (n - 1)
        return centered * (var + self.eps).rsqrt() * self.weight + self.bias


class LayerNorm(nn.Module):
    """Normalize each row over its features."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))

    def forward(self, x: Tensor) -> Tensor:
        centered = x - x.mean(-1, keepdim=True)
        var = centered.square().mean(-1, keepdim=True)
        return centered * (var + self.eps).rsqrt() * self.weight + self.bias


class RMSNorm(nn.Module):
    """Divide each row by the root of its mean square."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, x: Tensor) -> Tensor:
        return x * (x.square().mean(-1, keepdim=True) + self.eps).rsqrt() * self.weight


class Dropout(nn.Module):
    """Put elements to 0 at random while training, and make up for it in the others."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return x
        gone = torch.bernoulli(torch.full_like(x, self.p)).bool()
        factor = 1 / (1 - self.p) if self.p < 1 else 0.0
        return x.masked_fill(gone, 0.0) * factor
