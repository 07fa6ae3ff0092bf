"""Models that read at indices, and that read values: what a trace knows of them, and what a device refuses."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


class Table(nn.Module):
    """Its table stays on the CPU."""

    def __init__(self, way: Callable[..., Tensor]) -> None:
        super().__init__()
        self.table, self.way = torch.ones(4, 4), way

    def forward(self, x: Tensor) -> Tensor:
        return x + self.way(self.table, x)


def _at_numbers(table: Tensor, x: Tensor) -> Tensor:
    return table[x.argmax(-1)].to(x.device)  # at numbers


def _at_several(table: Tensor, x: Tensor) -> Tensor:
    return table[torch.arange(4), x.argmax(-1)].to(x.device)  # at several


def _at_truths(table: Tensor, x: Tensor) -> Tensor:
    return table[x > 0].sum().to(x.device)  # at truths


def _at_home(table: Tensor, x: Tensor) -> Tensor:
    return table[x.argmax(-1).cpu()].to(x.device) + table.to(x.device)[torch.arange(4)]


def _written(table: Tensor, x: Tensor) -> Tensor:
    made = torch.zeros(4, 4)
    made[x.argmax(-1)] = 1.0
    return made.to(x.device)


def _with(way: Callable[..., Tensor]) -> Any:
    return Table(way), (torch.ones(4, 4),)


def at_numbers() -> Any:
    return _with(_at_numbers)


def at_several() -> Any:
    return _with(_at_several)


def at_truths() -> Any:
    return _with(_at_truths)


def at_home() -> Any:
    return _with(_at_home)


def written() -> Any:
    return _with(_written)


class Reads(nn.Module):
    """Reads values that are known without data."""

    def __init__(self, way: Callable[..., Tensor]) -> None:
        super().__init__()
        self.way, self.plain = way, torch.tensor([True, False, True, True])
        self.register_buffer("count", torch.tensor(2))

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        return self.way(self, x, lengths)


def _lists(model: Any, x: Tensor, lengths: Tensor) -> Tensor:
    parts = torch.split(x, lengths.tolist())
    return torch.cat([parts[0], x[: int(lengths.cpu().numpy()[1])]])


def _masks(model: Any, x: Tensor, lengths: Tensor) -> Tensor:
    chosen = x[torch.tensor([True, False, True, False])] + x[torch.tensor([True, True, False, False], device=x.device)]
    return chosen[:, model.plain].sum() + x[model.plain].sum()


def _counts(model: Any, x: Tensor, lengths: Tensor) -> Tensor:
    return x[: int(model.count)] * 2 if model.count > 1 else torch.linalg.eig(x)[0].abs()


def _counts_on(model: Any, x: Tensor, lengths: Tensor) -> Tensor:
    model.count += 1
    mask = torch.tensor([True, False, True, False])
    mask[0] = x[0, 0] > 0
    return x[mask].sum() if model.count > 1 else x  # counts on


def _reading(way: Callable[..., Tensor]) -> Any:
    return Reads(way), (torch.ones(4, 4), torch.tensor([1, 3]))


def lists() -> Any:
    return _reading(_lists)


def masks() -> Any:
    return _reading(_masks)


def counts() -> Any:
    return _reading(_counts)


def counts_on() -> Any:
    return _reading(_counts_on)
