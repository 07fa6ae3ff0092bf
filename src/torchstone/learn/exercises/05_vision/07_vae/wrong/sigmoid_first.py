# rejected by: losses_are_right: log(sigmoid(−
# sigmoid and then binary_cross_entropy, whose log stops at -100; a logit of -300 at a pixel of 1 costs 300 nats,
# here 100 (and has no gradient)
"""A variational autoencoder: codes as clouds, drawn from so that gradients pass."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def draw_code(mean: Tensor, log_variance: Tensor) -> Tensor:
    """A point of each cloud, through which gradients reach mean and log variance."""
    return torch.addcmul(mean, torch.exp(0.5 * log_variance), torch.randn_like(mean))


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """(n,): how far each cloud is from the standard normal, in nats."""
    return 0.5 * (mean * mean + torch.expm1(log_variance) - log_variance).sum(dim=-1)


def negative_elbo(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    """Nats per image: its pixels given the code, and the code itself."""
    pixels = functional.binary_cross_entropy(logits.sigmoid(), images, reduction="sum")
    return (pixels + divergence(mean, log_variance).sum()) / len(images)


class VAE(nn.Module):
    """(n, pixels) → logits of the pixels, and mean and log variance of the code."""

    def __init__(self, pixels: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.SiLU(), nn.Linear(hidden, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.SiLU(), nn.Linear(hidden, pixels))

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        mean, log_variance = self.encoder(images).chunk(2, dim=-1)
        return mean, log_variance

    def decode(self, codes: Tensor) -> Tensor:
        return self.decoder(codes)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encode(images)
        if not self.training:
            return self.decode(mean), mean, log_variance
        return self.decode(draw_code(mean, log_variance)), mean, log_variance
