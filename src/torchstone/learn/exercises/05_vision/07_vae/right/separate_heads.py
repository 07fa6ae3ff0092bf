# earns: solved
# a head each for mean and log variance, logsigmoid, expm1, addcmul
"""A variational autoencoder: codes as clouds, drawn from so that gradients pass."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def draw_code(mean: Tensor, log_variance: Tensor) -> Tensor:
    """A point of each cloud, through which gradients reach mean and log variance."""
    noise = torch.empty_like(mean).normal_()
    return torch.addcmul(mean, noise, torch.exp(0.5 * log_variance))


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """(n,): how far each cloud is from the standard normal, in nats."""
    return torch.einsum("nl,nl->n", mean, mean) / 2 + (log_variance.expm1() - log_variance).sum(-1) / 2


def negative_elbo(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    """Nats per image: its pixels given the code, and the code itself."""
    explained = images * functional.logsigmoid(logits) + (1 - images) * functional.logsigmoid(-logits)
    return (divergence(mean, log_variance).sum() - explained.sum()) / len(images)


class VAE(nn.Module):
    """(n, pixels) → logits of the pixels, and mean and log variance of the code."""

    def __init__(self, pixels: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.look = nn.Linear(pixels, hidden)
        self.mean = nn.Linear(hidden, latent)
        self.log_variance = nn.Linear(hidden, latent)
        self.think = nn.Linear(latent, hidden)
        self.paint = nn.Linear(hidden, pixels)

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        features = functional.silu(self.look(images))
        return self.mean(features), self.log_variance(features)

    def decode(self, codes: Tensor) -> Tensor:
        return self.paint(functional.silu(self.think(codes)))

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encode(images)
        if not self.training:
            return self.decode(mean), mean, log_variance
        return self.decode(draw_code(mean, log_variance)), mean, log_variance
