# earns: solved
# torch.distributions for drawing, for the divergence and for the pixels
"""A variational autoencoder: codes as clouds, drawn from so that gradients pass."""

from torch import Tensor, nn
from torch.distributions import Bernoulli, Independent, Normal, kl_divergence


def cloud(mean: Tensor, log_variance: Tensor) -> Independent:
    return Independent(Normal(mean, log_variance.mul(0.5).exp(), validate_args=False), 1, validate_args=False)


def draw_code(mean: Tensor, log_variance: Tensor) -> Tensor:
    """A point of each cloud, through which gradients reach mean and log variance."""
    return cloud(mean, log_variance).rsample()


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """(n,): how far each cloud is from the standard normal, in nats."""
    return kl_divergence(cloud(mean, log_variance), cloud(mean.new_zeros(mean.shape), mean.new_zeros(mean.shape)))


def negative_elbo(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    """Nats per image: its pixels given the code, and the code itself."""
    seen = Independent(Bernoulli(logits=logits, validate_args=False), 1, validate_args=False)
    return (divergence(mean, log_variance) - seen.log_prob(images)).mean()


class VAE(nn.Module):
    """(n, pixels) → logits of the pixels, and mean and log variance of the code."""

    def __init__(self, pixels: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.look = nn.Sequential(nn.Linear(pixels, hidden), nn.SiLU())
        self.mean = nn.Linear(hidden, latent)
        self.log_variance = nn.Linear(hidden, latent)
        self.paint = nn.Sequential(nn.Linear(latent, hidden), nn.SiLU(), nn.Linear(hidden, pixels))

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        features = self.look(images)
        return self.mean(features), self.log_variance(features)

    def decode(self, codes: Tensor) -> Tensor:
        return self.paint(codes)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encode(images)
        return self.decode(draw_code(mean, log_variance) if self.training else mean), mean, log_variance
