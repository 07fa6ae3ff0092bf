# earns: solved
# explicit centering, rsqrt, lerp_ for the running statistics, bernoulli
import torch
from torch import Tensor, nn


class BatchNorm(nn.Module):
    def __init__(self, features: int, momentum: float = 0.1, eps: float = 1e-5) -> None:
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))
        self.register_buffer("running_mean", torch.zeros(features))
        self.register_buffer("running_var", torch.ones(features))

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            scale = self.weight * torch.rsqrt(self.running_var + self.eps)
            return (x - self.running_mean) * scale + self.bias
        n = len(x)
        mean = x.sum(0) / n
        centered = x - mean
        squares = (centered * centered).sum(0)
        with torch.no_grad():
            self.running_mean.lerp_(mean, self.momentum)
            self.running_var.lerp_(squares / (n - 1), self.momentum)
        return torch.addcmul(self.bias, centered * torch.rsqrt(squares / n + self.eps), self.weight)


class LayerNorm(nn.Module):
    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))

    def forward(self, x: Tensor) -> Tensor:
        centered = x - x.mean(dim=-1, keepdim=True)
        return self.bias + self.weight * centered * torch.rsqrt(centered.square().mean(-1, True) + self.eps)


class RMSNorm(nn.Module):
    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, x: Tensor) -> Tensor:
        squares = torch.einsum("...i,...i->...", x, x).unsqueeze(-1)
        return torch.rsqrt(squares / x.shape[-1] + self.eps) * x * self.weight


class Dropout(nn.Module):
    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return x
        stays = torch.bernoulli(torch.full_like(x, 1 - self.p))
        return x * (stays / (1 - self.p) if self.p < 1 else stays)
