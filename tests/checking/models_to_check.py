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


class Elsewhere(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.ones(8, device="cuda").to(x.device)  # elsewhere


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


class Numpy(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = x * float(x.detach().numpy().mean())  # numpy
        return found


class NumpyOfCopy(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + torch.from_numpy(x.detach().cpu().numpy() * 2).to(x.device)  # copied


class Noise(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        noise = torch.randn(3, 4)  # made on the CPU
        return x + noise * 0.1  # mixed


class Mask(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mask = torch.ones(4)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(x * 2, self.mask.expand(4, 4))  # attribute


class HostsOwn(nn.Module):
    """What every device takes: a number of the host, and places of the host."""

    def forward(self, x: Tensor) -> Tensor:
        return x[torch.arange(2)] * torch.tensor(2.0)


class Hermitian(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        inverse: Tensor = torch.linalg.pinv(x @ x.mT, hermitian=True)  # hermitian
        return inverse


class Margin(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.multilabel_margin_loss(self.inner(x), x.long())  # margin


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


def elsewhere() -> Any:
    return _with(nn.Sequential(nn.Identity(), Elsewhere()))


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


def numpy() -> Any:
    return _with(Numpy(), 3, 4)


def numpy_of_copy() -> Any:
    return _with(NumpyOfCopy(), 3, 4)


def noise() -> Any:
    return _with(Noise(), 3, 4)


def mask() -> Any:
    return _with(nn.Sequential(nn.Identity(), Mask()), 3, 4)


def hosts_own() -> Any:
    return _with(HostsOwn(), 3, 4)


def hermitian() -> Any:
    return _with(Hermitian(), 3, 4)


def margin() -> Any:
    return _with(Margin(), 3, 4)
