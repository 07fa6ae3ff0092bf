# rejected by: noise_is_normal: Mean 0 and variance 1 are not enough
# "standard normal noise": cut off at ±3
"""A variational autoencoder: codes as clouds, drawn from so that gradients pass."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def draw_code(mean: Tensor, log_variance: Tensor) -> Tensor:
    """A point of each cloud, through which gradients reach mean and log variance."""
    # The chance comes from outside (the noise), so the result is an ordinary function of both arguments.
    return mean + (log_variance / 2).exp() * torch.randn_like(mean).clamp(-3, 3)


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """(n,): how far each cloud is from the standard normal, in nats."""
    return (mean.square() + log_variance.exp() - log_variance - 1).sum(1) / 2


def negative_elbo(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    """Nats per image: its pixels given the code, and the code itself."""
    # Both parts must be sums over one image: a mean over pixels would make the divergence count far too much.
    pixels = functional.binary_cross_entropy_with_logits(logits, images, reduction="none").flatten(1).sum(1)
    return (pixels + divergence(mean, log_variance)).mean()


class VAE(nn.Module):
    """(n, pixels) → logits of the pixels, and mean and log variance of the code."""

    def __init__(self, pixels: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.ReLU(), nn.Linear(hidden, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, pixels))

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        mean, log_variance = self.encoder(images).chunk(2, dim=1)
        return mean, log_variance

    def decode(self, codes: Tensor) -> Tensor:
        return self.decoder(codes)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encode(images)
        code = draw_code(mean, log_variance) if self.training else mean
        return self.decode(code), mean, log_variance
