# earns: solved
"""A variational autoencoder: codes as clouds, drawn from so that gradients pass."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def draw_code(mean: Tensor, log_variance: Tensor) -> Tensor:
    """A point of each cloud, through which gradients reach mean and log variance."""
    return torch.addcmul(mean, log_variance.mul(0.5).exp(), torch.empty_like(mean).normal_())


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """(n,): how far each cloud is from the standard normal, in nats."""
    return (mean.square() + torch.expm1(log_variance) - log_variance).sum(-1) / 2


def negative_elbo(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    """Nats per image: its pixels given the code, and the code itself."""
    pixels = functional.softplus(logits, threshold=30) - logits * images
    return (pixels.sum() + divergence(mean, log_variance).sum()) / len(images)


class VAE(nn.Module):
    """(n, pixels) → logits of the pixels, and mean and log variance of the code."""

    def __init__(self, pixels: int, hidden: int, latent: int) -> None:
        super().__init__()
        sizes = [(hidden, pixels), (2 * latent, hidden), (hidden, latent), (pixels, hidden)]
        self.weights = nn.ParameterList(nn.init.kaiming_uniform_(torch.empty(size), a=1) for size in sizes)
        self.biases = nn.ParameterList(torch.zeros(size[0]) for size in sizes)
        self.latent = latent

    def _run(self, x: Tensor, first: int) -> Tensor:
        x = functional.leaky_relu(functional.linear(x, self.weights[first], self.biases[first]), 0.1)
        return functional.linear(x, self.weights[first + 1], self.biases[first + 1])

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        both = self._run(images, 0)
        return both[:, : self.latent], both[:, self.latent :]

    def decode(self, codes: Tensor) -> Tensor:
        return self._run(codes, 2)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encode(images)
        codes = mean
        if self.training:
            codes = draw_code(mean, log_variance)
        return self.decode(codes), mean, log_variance
