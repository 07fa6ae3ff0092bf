# earns: solved
# built-in losses with reduction sum, vecdot, heads in a ModuleDict, one LeakyReLU layer on each side
import torch
from torch import Tensor, nn
from torch.nn import functional


def draw_code(mean: Tensor, log_variance: Tensor) -> Tensor:
    deviation = torch.exp(0.5 * log_variance)
    return torch.normal(0.0, 1.0, tuple(mean.shape), dtype=mean.dtype, device=mean.device) * deviation + mean


def divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    squares = torch.linalg.vecdot(mean, mean)
    return (squares + log_variance.exp().sum(1) - log_variance.sum(1) - mean.shape[1]) * 0.5


def negative_elbo(logits: Tensor, images: Tensor, mean: Tensor, log_variance: Tensor) -> Tensor:
    pixels = nn.BCEWithLogitsLoss(reduction="sum")(logits, images)
    return (pixels + divergence(mean, log_variance).sum()) / logits.shape[0]


class VAE(nn.Module):
    def __init__(self, pixels: int, hidden: int, latent: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(pixels, hidden), nn.LeakyReLU())
        self.heads = nn.ModuleDict({"mean": nn.Linear(hidden, latent), "log": nn.Linear(hidden, latent)})
        self.decode_net = nn.Sequential(nn.Linear(latent, hidden), nn.LeakyReLU(), nn.Linear(hidden, pixels))

    def encode(self, images: Tensor) -> tuple[Tensor, Tensor]:
        features = self.trunk(images)
        return self.heads["mean"](features), self.heads["log"](features)

    def decode(self, codes: Tensor) -> Tensor:
        return self.decode_net(codes)

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        mean, log_variance = self.encode(images)
        drawn = {True: draw_code, False: lambda m, _: m}[self.training](mean, log_variance)
        return self.decode(drawn), mean, log_variance
