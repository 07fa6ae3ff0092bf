# rejected by: net_has_two_modes: In evaluation the code is the mean itself
# a code is drawn in evaluation too, instead of decoding the mean
"""A variational autoencoder: codes as clouds, drawn from so that gradients pass."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def draw_code(mean: Tensor, log_variance: Tensor) -> Tensor:
    """A point of each cloud, through which gradients reach mean and log variance."""
    return mean + (log_variance / 2).exp() * torch.randn_like(mean)


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """(n,): how far each cloud is from the standard normal, in nats."""
    return 0.5 * (mean.square() + log_variance.exp() - log_variance - 1).sum(1)


def negative_elbo(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    """Nats per image: its pixels given the code, and the code itself."""
    pixels = functional.binary_cross_entropy_with_logits(logits, images, reduction="none").sum(1)
    return (pixels + divergence(mean, log_variance)).mean()


class VAE(nn.Module):
    """(n, pixels) → logits of the pixels, and mean and log variance of the code."""

    def __init__(self, pixels: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.GELU(), nn.Linear(hidden, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.GELU(), nn.Linear(hidden, pixels))

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        mean, log_variance = self.encoder(images).chunk(2, 1)
        return mean, log_variance

    def decode(self, codes: Tensor) -> Tensor:
        return self.decoder(codes)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encode(images)
        codes = draw_code(mean, log_variance)
        return self.decode(codes), mean, log_variance
