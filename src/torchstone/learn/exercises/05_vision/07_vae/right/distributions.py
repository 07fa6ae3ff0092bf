# earns: solved
# torch.distributions with rsample and kl_divergence, two heads
import torch
from torch import Tensor, nn
from torch.nn import functional


def draw_code(mean: Tensor, log_variance: Tensor) -> Tensor:
    return torch.distributions.Normal(mean, torch.exp(0.5 * log_variance)).rsample()


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    return (mean**2 + log_variance.expm1() - log_variance).sum(dim=-1).div(2)


def negative_elbo(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    pixels = functional.softplus(logits) - images * logits
    return (pixels.sum(dim=1) + divergence(mean, log_variance)).sum() / len(images)


class VAE(nn.Module):
    def __init__(self, pixels: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.body = nn.Linear(pixels, hidden)
        self.mean_head = nn.Linear(hidden, latent)
        self.variance_head = nn.Linear(hidden, latent)
        self.back = nn.Linear(latent, hidden)
        self.out = nn.Linear(hidden, pixels)

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        features = functional.gelu(self.body(images))
        return self.mean_head(features), self.variance_head(features)

    def decode(self, codes: Tensor) -> Tensor:
        return self.out(functional.gelu(self.back(codes)))

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encode(images)
        if self.training:
            return self.decode(draw_code(mean, log_variance)), mean, log_variance
        return self.decode(mean), mean, log_variance
