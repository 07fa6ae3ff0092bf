# earns: solved
# addcmul, logaddexp for the cross-entropy, encoder with two heads
"""A variational autoencoder: codes as clouds, drawn from so that gradients pass."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def draw_code(mean: Tensor, log_variance: Tensor) -> Tensor:
    """A point of each cloud, through which gradients reach mean and log variance."""
    spread = (log_variance / 2).exp()
    return torch.addcmul(mean, spread, torch.randn_like(spread))


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """(n,): how far each cloud is from the standard normal, in nats."""
    return (mean.square() + log_variance.expm1() - log_variance).sum(1) / 2


def negative_elbo(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    """Nats per image: its pixels given the code, and the code itself."""
    pixels = torch.logaddexp(logits, torch.zeros_like(logits)) - logits * images
    return (pixels.flatten(1).sum(1) + divergence(mean, log_variance)).mean()


class VAE(nn.Module):
    """(n, pixels) → logits of the pixels, and mean and log variance of the code."""

    def __init__(self, pixels: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(pixels, hidden), nn.ReLU())
        self.to_mean = nn.Linear(hidden, latent)
        self.to_log_variance = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, pixels))

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        features = self.trunk(images)
        return self.to_mean(features), self.to_log_variance(features)

    def decode(self, codes: Tensor) -> Tensor:
        return self.decoder(codes)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encode(images)
        code = draw_code(mean, log_variance) if self.training else mean
        return self.decode(code), mean, log_variance
