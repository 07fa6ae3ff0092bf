# earns: solved
# one helper for both norms with var_mean, bernoulli for dropout
"""Four modules, two of which behave differently while training and in evaluation."""

import torch
from torch import Tensor, nn


def normalize(x: Tensor, mean: Tensor, var: Tensor, module: nn.Module) -> Tensor:
    """The formula that two of the norms share."""
    return torch.div(torch.sub(x, mean), torch.sqrt(var + module.eps)).mul(module.weight).add(module.bias)


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
            return normalize(x, self.running_mean, self.running_var, self)
        for running, new in zip((self.running_var, self.running_mean), torch.var_mean(x.detach(), dim=0)):
            running.copy_((1 - self.momentum) * running + self.momentum * new)
        var, mean = torch.var_mean(x, dim=0, correction=0)
        return normalize(x, mean, var, self)


class LayerNorm(nn.Module):
    """Normalize each row over its features."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))

    def forward(self, x: Tensor) -> Tensor:
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return normalize(x, mean, var, self)


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
        kept = torch.bernoulli(torch.full(x.shape, 1 - self.p, device=x.device)).to(x.dtype)
        return x * (kept / max(1 - self.p, 1e-30) if self.p < 1 else kept)
