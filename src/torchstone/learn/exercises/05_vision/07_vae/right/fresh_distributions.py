# earns: solved
# torch.distributions for drawing and for the divergence, one net for each head
"""A variational autoencoder: codes as clouds, drawn from so that gradients pass."""

import torch
from torch import Tensor, nn
from torch.distributions import Normal
from torch.nn import functional


def draw_code(mean: Tensor, log_variance: Tensor) -> Tensor:
    """A point of each cloud, through which gradients reach mean and log variance."""
    return Normal(mean, torch.exp(0.5 * log_variance)).rsample()


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """(n,): how far each cloud is from the standard normal, in nats."""
    return 0.5 * torch.sum(mean * mean + torch.expm1(log_variance) - log_variance, dim=-1)


def negative_elbo(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    """Nats per image: its pixels given the code, and the code itself."""
    pixels = functional.softplus(logits) - logits * images
    return pixels.sum() / len(images) + divergence(mean, log_variance).mean()


class VAE(nn.Module):
    """(n, pixels) → logits of the pixels, and mean and log variance of the code."""

    def __init__(self, pixels: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.ReLU())
        self.to_mean = nn.Linear(hidden, latent)
        self.to_log_variance = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, pixels))

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        features = self.encoder(images)
        return self.to_mean(features), self.to_log_variance(features)

    def decode(self, codes: Tensor) -> Tensor:
        return self.decoder(codes)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encode(images)
        codes = draw_code(mean, log_variance) if self.training else mean
        return self.decode(codes), mean, log_variance
