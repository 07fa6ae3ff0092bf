"""Models that ask for their device and choose their way by it, as people write them."""

from typing import Any

import torch
from torch import Tensor, nn

DEVICE = "mps" if torch.backends.mps.is_available() else "cuda" if torch.cuda.is_available() else "cpu"
SCALE = torch.arange(4.0, device=DEVICE) * 2


class Chooses(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.shift = torch.ones(4, device=DEVICE)

    def forward(self, x: Tensor) -> Tensor:
        return x * SCALE + self.shift + torch.zeros(4, device=DEVICE)


class ByType(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = torch.linalg.eig(x)[0].real if x.device.type == "mps" else x  # by type
        return found


class ByFlag(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = torch.linalg.eig(x)[0].real if x.is_mps and not x.is_cpu else x  # by flag
        return found


class Recomputed(nn.Module):
    """The way is chosen again in the backward pass, and must be the same."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Any:
        from torch.utils.checkpoint import checkpoint

        return checkpoint(self._choose, self.inner(x), use_reentrant=False)

    def _choose(self, x: Tensor) -> Tensor:
        return x.sin() + torch.ones(4, device=x.device) if x.device.type == "mps" else x * 2


class Cast(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        with torch.autocast(x.device.type, dtype=torch.bfloat16):
            narrow = self.inner(x)
            wide = narrow.softmax(-1)
        assert (narrow.dtype, wide.dtype) == (torch.bfloat16, torch.float32)
        found: Tensor = wide
        return found


class DrawsOnHost(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        generator = torch.Generator().manual_seed(0)
        return x + torch.randn(4, generator=generator, device=x.device)  # drawn


class Draws(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        generator = torch.Generator(device=x.device).manual_seed(0)
        return x + torch.randn(4, generator=generator, device=x.device)


class CalledBack(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.triplet_margin_with_distance_loss(x, x, x, distance_function=_distance)


class NeedsItself(nn.Module):
    """What only the device itself can give."""

    def __init__(self, give: Any) -> None:
        super().__init__()
        self.give = give

    def forward(self, x: Tensor) -> Tensor:
        self.give()
        return x


def streams() -> Any:
    return _with(NeedsItself(torch.cuda.Stream))


def events() -> Any:
    return _with(NeedsItself(torch.cuda.Event))


def marks() -> Any:
    return _with(NeedsItself(lambda: torch.cuda.nvtx.range_push("step")))  # type: ignore[no-untyped-call]


def _distance(left: Tensor, right: Tensor) -> Tensor:
    return (left - right).abs().sum(-1) if left.device.type == "mps" else (left * right).sum(-1)  # called back


def _with(model: nn.Module) -> Any:
    return model, (torch.randn(4, 4),)


def chooses() -> Any:
    return _with(Chooses())


def moves() -> Any:
    model = nn.Linear(4, 4).to(DEVICE)
    x = torch.randn(4, 4, device=DEVICE)
    assert (next(model.parameters()).device.type, x.device.type, x.cpu().device.type) == (DEVICE, DEVICE, "cpu")
    return model, (x,)


def by_type() -> Any:
    return _with(ByType())


def by_flag() -> Any:
    return _with(ByFlag())


def recomputed() -> Any:
    return _with(Recomputed())


def cast() -> Any:
    return _with(Cast())


def draws_on_host() -> Any:
    return _with(DrawsOnHost())


def draws() -> Any:
    return _with(Draws())


def asks_its_size() -> Any:
    torch.mps.recommended_max_memory()
    return _with(nn.Linear(4, 4))


def called_back() -> Any:
    return _with(CalledBack())
