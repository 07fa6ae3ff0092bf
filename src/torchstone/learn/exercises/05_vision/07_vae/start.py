"""A variational autoencoder: codes as clouds, drawn from so that gradients pass."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def draw_code(mean: Tensor, log_variance: Tensor) -> Tensor:
    """A point of each cloud, through which gradients reach mean and log variance."""
    # TODO
    raise NotImplementedError("draw_code")


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """(n,): how far each cloud is from the standard normal, in nats."""
    # TODO
    raise NotImplementedError("divergence")


def negative_elbo(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    """Nats per image: its pixels given the code, and the code itself."""
    # TODO
    raise NotImplementedError("negative_elbo")


class VAE(nn.Module):
    """(n, pixels) → logits of the pixels, and mean and log variance of the code."""

    def __init__(self, pixels: int, hidden: int, latent: int) -> None:
        super().__init__()
        # TODO: an encoder and a decoder

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        # TODO
        raise NotImplementedError("VAE.encode")

    def decode(self, codes: Tensor) -> Tensor:
        # TODO
        raise NotImplementedError("VAE.decode")

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        # TODO: a drawn code in training, the mean in evaluation
        raise NotImplementedError("VAE.forward")
