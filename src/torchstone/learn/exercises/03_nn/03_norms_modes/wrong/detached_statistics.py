# rejected by: batch_norm_gradients: Every x moves its batch's statistics too
# "Gradients must flow through the batch's own statistics": mean and var are constants
"""Four modules, two of which behave differently while training and in evaluation."""

import torch
from torch import Tensor, nn


def _moments(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    mean = x.mean(dim, keepdim=True)
    return mean, ((x - mean) ** 2).mean(dim, keepdim=True)


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
            mean, var = self.running_mean, self.running_var
        else:
            mean, var = (one.detach() for one in _moments(x, 0))
            n = x.shape[0]
            with torch.no_grad():
                self.running_mean.lerp_(mean[0], self.momentum)
                self.running_var.lerp_(var[0] * (n / (n - 1)), self.momentum)
        return torch.addcmul(self.bias, (x - mean) * (var + self.eps) ** -0.5, self.weight)


class LayerNorm(nn.Module):
    """Normalize each row over its features."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))

    def forward(self, x: Tensor) -> Tensor:
        mean, var = _moments(x, -1)
        return torch.addcmul(self.bias, (x - mean) * (var + self.eps) ** -0.5, self.weight)


class RMSNorm(nn.Module):
    """Divide each row by the root of its mean square."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(features))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + self.eps) * self.weight


class Dropout(nn.Module):
    """Put elements to 0 at random while training, and make up for it in the others."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if self.training and self.p > 0:
            keep = torch.rand_like(x) >= self.p
            return torch.where(keep, x / (1 - self.p) if self.p < 1 else torch.zeros_like(x), 0.0)
        return x
