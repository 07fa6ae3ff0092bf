# earns: solved
# cross-entropy by logsigmoid of both signs, half sums by einsum, a module list of layers
import torch
from torch import Tensor, nn
from torch.nn import functional


def draw_code(mean: Tensor, log_variance: Tensor) -> Tensor:
    noise = torch.empty_like(mean).normal_()
    return torch.addcmul(mean, log_variance.mul(0.5).exp(), noise)


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    squares = torch.einsum("nl,nl->n", mean, mean)
    rest = torch.einsum("nl->n", log_variance.exp() - log_variance - 1.0)
    return 0.5 * squares + 0.5 * rest


def negative_elbo(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    on, off = functional.logsigmoid(logits), functional.logsigmoid(-logits)
    nats = -(images * on + (1 - images) * off).flatten(1).sum(1)
    return torch.mean(nats + divergence(mean, log_variance))


class VAE(nn.Module):
    """(n, pixels) → logits of the pixels, and mean and log variance of the code."""

    def __init__(self, pixels: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.LeakyReLU(0.1), nn.Linear(hidden, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.LeakyReLU(0.1), nn.Linear(hidden, pixels))

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        mean, log_variance = self.encoder(images).chunk(2, dim=1)
        return mean, log_variance

    def decode(self, codes: Tensor) -> Tensor:
        return self.decoder(codes)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encode(images)
        codes = {True: draw_code, False: lambda mean, _: mean}[self.training](mean, log_variance)
        return self.decode(codes), mean, log_variance
