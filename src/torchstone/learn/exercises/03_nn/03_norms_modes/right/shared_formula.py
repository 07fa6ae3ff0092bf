# earns: solved
# one formula for both norms, running statistics replaced and not changed, bernoulli
"""Four modules, two of which behave differently while training and in evaluation."""

import torch
from torch import Tensor, nn


def _standard(x: Tensor, mean: Tensor, var: Tensor, module: nn.Module) -> Tensor:
    return (x - mean) * torch.rsqrt(var + module.eps) * module.weight + module.bias


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
            return _standard(x, self.running_mean, self.running_var, self)
        n, share = x.shape[0], self.momentum
        var, mean = torch.var_mean(x, dim=0, correction=0)
        self.running_mean = (1 - share) * self.running_mean + share * mean.detach()
        self.running_var = (1 - share) * self.running_var + share * var.detach() * (n / (n - 1))
        return _standard(x, mean, var, self)


class LayerNorm(nn.Module):
    """Normalize each row over its features."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))

    def forward(self, x: Tensor) -> Tensor:
        var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
        return _standard(x, mean, var, self)


class RMSNorm(nn.Module):
    """Divide each row by the root of its mean square."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * (x * torch.rsqrt((x * x).mean(dim=-1, keepdim=True) + self.eps))


class Dropout(nn.Module):
    """Put elements to 0 at random while training, and make up for it in the others."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return x
        kept = torch.empty_like(x).bernoulli_(1 - self.p)
        return x * kept / (1 - self.p) if self.p < 1 else torch.zeros_like(x) * x
