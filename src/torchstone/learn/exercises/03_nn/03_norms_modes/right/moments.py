# earns: solved
# second moments by einsum-like products, running statistics by assignment, Bernoulli masks
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

    def statistics(self, x: Tensor) -> tuple[Tensor, Tensor]:
        if not self.training:
            return self.running_mean, self.running_var
        var, mean = torch.var_mean(x, dim=0, correction=0)
        n = x.shape[0]
        new_mean, new_var = mean.detach(), var.detach() * n / max(n - 1, 1)
        self.running_mean = torch.lerp(self.running_mean, new_mean, self.momentum)
        self.running_var = torch.lerp(self.running_var, new_var, self.momentum)
        return mean, var

    def forward(self, x: Tensor) -> Tensor:
        mean, var = self.statistics(x)
        return torch.addcmul(self.bias, (x - mean) * torch.rsqrt(var + self.eps), self.weight)


class LayerNorm(nn.Module):
    """Normalize each row over its features."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))

    def forward(self, x: Tensor) -> Tensor:
        centered = x - x.sum(dim=-1, keepdim=True) / x.shape[-1]
        square = torch.linalg.vecdot(centered, centered).unsqueeze(-1) / x.shape[-1]
        return centered * torch.rsqrt(square + self.eps) * self.weight + self.bias


class RMSNorm(nn.Module):
    """Divide each row by the root of its mean square."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, x: Tensor) -> Tensor:
        square = torch.linalg.vecdot(x, x).unsqueeze(-1) / x.shape[-1]
        return x * torch.rsqrt(square + self.eps) * self.weight


class Dropout(nn.Module):
    """Put elements to 0 at random while training, and make up for it in the others."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if self.training and self.p > 0:
            drop = torch.bernoulli(torch.full_like(x, self.p)).bool()
            scale = 0.0 if self.p >= 1 else 1.0 / (1.0 - self.p)
            return (x * scale).masked_fill(drop, 0.0)
        return x
