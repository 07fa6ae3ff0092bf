# rejected by: losses_are_right: the result of negative_elbo is
# takes each pixel for 0 or 1 (where images > 0.5); breaks 'Pixels are between 0 and 1' for grey ones such as 0.3
"""A variational autoencoder: codes as clouds, drawn from so that gradients pass."""

import torch
from torch import Tensor, nn
from torch.distributions import Normal
from torch.nn import functional


def _cloud(mean: Tensor, log_variance: Tensor) -> Normal:
    return Normal(mean, (log_variance / 2).exp(), validate_args=False)


def draw_code(mean: Tensor, log_variance: Tensor) -> Tensor:
    """A point of each cloud, through which gradients reach mean and log variance."""
    return _cloud(mean, log_variance).rsample()


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """(n,): how far each cloud is from the standard normal, in nats."""
    return (mean.square() + log_variance.exp() - log_variance - 1).sum(1) / 2


def negative_elbo(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    """Nats per image: its pixels given the code, and the code itself."""
    pixels = torch.where(images > 0.5, functional.softplus(-logits), functional.softplus(logits))
    return (pixels.flatten(1).sum(1) + divergence(mean, log_variance)).mean()


class VAE(nn.Module):
    """(n, pixels) → logits of the pixels, and mean and log variance of the code."""

    def __init__(self, pixels: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.look = nn.Linear(pixels, hidden)
        self.to_mean = nn.Linear(hidden, latent)
        self.to_log_variance = nn.Linear(hidden, latent)
        self.think = nn.Linear(latent, hidden)
        self.paint = nn.Linear(hidden, pixels)

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        seen = functional.relu(self.look(images))
        return self.to_mean(seen), self.to_log_variance(seen)

    def decode(self, codes: Tensor) -> Tensor:
        return self.paint(functional.relu(self.think(codes)))

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encode(images)
        codes = draw_code(mean, log_variance) if self.training else mean
        return self.decode(codes), mean, log_variance
