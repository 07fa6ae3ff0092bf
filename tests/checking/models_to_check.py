"""Models as people write them, good and bad: what `check` is tried on."""

from typing import Any

import torch
from torch import Tensor, nn


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8), nn.GELU())

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.inner(x)
        return out


class Eigen(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        values: Tensor = torch.linalg.eig(x @ x.mT)[0].real  # eig
        return values


class Double(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return (x.double() * 2).float()  # double


class Cuda(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.ones(8).cuda()  # cuda


class Branch(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.sum().item() > 0:  # item
            return x[x > 0]  # mask
        return x


class NamesMps(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.ones(8, device="mps")


class ViewsInPlace(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = x.clone()
        y[:, 1:].mul_(2)
        y.t_().unsqueeze_(0)
        return y


class Huge(nn.Module):
    """A hundred gigabytes of weights."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(50_000, 50_000) for _ in range(10))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def _with(model: nn.Module, *shape: int) -> tuple[nn.Module, tuple[Tensor, ...]]:
    return model, (torch.randn(*(shape or (4, 8))),)


def plain() -> Any:
    return _with(Plain())


def recurrent() -> Any:
    return _with(nn.LSTM(8, 8), 3, 4, 8)


def attention() -> Any:
    return nn.TransformerEncoderLayer(8, 2, batch_first=True), (torch.randn(2, 4, 8),)


def eigen() -> Any:
    return _with(nn.Sequential(Plain(), Eigen()))


def double() -> Any:
    return _with(Double())


def cuda() -> Any:
    return _with(nn.Sequential(nn.Identity(), Cuda()))


def branch() -> Any:
    return _with(Branch())


def names_mps() -> Any:
    return _with(NamesMps())


def views() -> Any:
    return _with(ViewsInPlace())


def huge() -> Any:
    return _with(Huge(), 1, 50_000)


def compiled() -> Any:
    return torch.compile(Plain()), (torch.randn(4, 8),)


def parallel() -> Any:
    return nn.DataParallel(Plain()), (torch.randn(4, 8),)


def scripted() -> Any:
    return _with(torch.jit.trace(nn.Linear(8, 8), torch.randn(4, 8)))  # type: ignore[no-untyped-call]


def nothing() -> Any:
    return None
