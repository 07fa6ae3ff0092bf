# earns: solved
# means of squares by hand, lerp for the running statistics, masked_fill
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

    @torch.no_grad()
    def _remember(self, mean: Tensor, var: Tensor, n: int) -> None:
        self.running_mean.copy_(torch.lerp(self.running_mean, mean, self.momentum))
        self.running_var.copy_(torch.lerp(self.running_var, var * n / (n - 1), self.momentum))

    def forward(self, x: Tensor) -> Tensor:
        if self.training:
            mean = x.sum(dim=0) / len(x)
            away = x - mean
            var = (away**2).sum(dim=0) / len(x)
            self._remember(mean.detach(), var.detach(), len(x))
        else:
            away = x - self.running_mean
            var = self.running_var.clone()
        return torch.addcmul(self.bias, away / torch.sqrt(var + self.eps), self.weight)


class LayerNorm(nn.Module):
    """Normalize each row over its features."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))

    def forward(self, x: Tensor) -> Tensor:
        away = x - x.mean(-1, keepdim=True)
        spread = torch.sqrt(away.pow(2).mean(-1, keepdim=True) + self.eps)
        return away / spread * self.weight + self.bias


class RMSNorm(nn.Module):
    """Divide each row by the root of its mean square."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight / torch.sqrt(x.pow(2).mean(-1).unsqueeze(-1) + self.eps)


class Dropout(nn.Module):
    """Put elements to 0 at random while training, and make up for it in the others."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if self.training and self.p > 0:
            gone = torch.rand(x.shape, device=x.device) < self.p
            factor = 1 / (1 - self.p) if self.p < 1 else 0.0
            return (x * factor).masked_fill(gone, 0)
        return x
