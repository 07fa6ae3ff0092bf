# rejected by: gradients_off_is_no_evaluation: self.training decides
# "A module is training where its `training` says so, whether or not gradients are recorded": dropout rests under no_grad
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
        mean, var = self.running_mean, self.running_var
        if self.training:
            mean, var = x.mean(0), x.var(0, correction=0)
            # lerp_ moves in place, so that the buffer stays the same tensor; detached, or it would keep the graph.
            self.running_mean.lerp_(mean.detach(), self.momentum)
            self.running_var.lerp_(x.detach().var(0), self.momentum)
        return (x - mean) / (var + self.eps).sqrt() * self.weight + self.bias


class LayerNorm(nn.Module):
    """Normalize each row over its features."""

    def __init__(self, features: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight, self.bias = nn.Parameter(torch.ones(features)), nn.Parameter(torch.zeros(features))

    def forward(self, x: Tensor) -> Tensor:
        centered = x - x.mean(-1, keepdim=True)
        return centered / (centered.square().mean(-1, keepdim=True) + self.eps).sqrt() * self.weight + self.bias


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
        if not self.training or not torch.is_grad_enabled():
            return x
        kept = torch.rand_like(x) >= self.p
        # With p = 1 nothing is kept, and there is nothing to make up for: 0 / 0 would be NaN.
        return x * kept / (1 - self.p if self.p < 1 else 1)
