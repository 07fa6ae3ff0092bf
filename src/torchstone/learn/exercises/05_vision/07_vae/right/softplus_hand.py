# earns: solved
# the cross-entropy by softplus, addcmul and expm1, and weights in a ModuleDict
"""A variational autoencoder: codes as clouds, drawn from so that gradients pass."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def draw_code(mean: Tensor, log_variance: Tensor) -> Tensor:
    """A point of each cloud, through which gradients reach mean and log variance."""
    noise = torch.empty_like(mean, requires_grad=False).normal_()
    return torch.addcmul(mean, log_variance.exp().sqrt(), noise)


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """(n,): how far each cloud is from the standard normal, in nats."""
    return 0.5 * torch.sum(torch.expm1(log_variance) - log_variance + mean * mean, dim=-1)


def negative_elbo(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    """Nats per image: its pixels given the code, and the code itself."""
    nats = functional.softplus(logits).sum() - (images * logits).sum() + divergence(mean, log_variance).sum()
    return nats / len(images)


class VAE(nn.Module):
    """(n, pixels) → logits of the pixels, and mean and log variance of the code."""

    def __init__(self, pixels: int, hidden: int, latent: int) -> None:
        super().__init__()
        sizes = {
            "read": (pixels, hidden),
            "center": (hidden, latent),
            "spread": (hidden, latent),
            "open": (latent, hidden),
            "draw": (hidden, pixels),
        }
        self.parts = nn.ModuleDict({name: nn.Linear(*size) for name, size in sizes.items()})

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        inner = functional.relu(self.parts["read"](images))
        return self.parts["center"](inner), self.parts["spread"](inner)

    def decode(self, codes: Tensor) -> Tensor:
        return self.parts["draw"](functional.relu(self.parts["open"](codes)))

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encode(images)
        if not self.training:
            return self.decode(mean), mean, log_variance
        return self.decode(draw_code(mean, log_variance)), mean, log_variance
