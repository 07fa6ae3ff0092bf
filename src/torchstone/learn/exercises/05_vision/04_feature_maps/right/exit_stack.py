# earns: solved
# an ExitStack for the hooks, cat of rows for the mosaic
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from contextlib import ExitStack


class Keeper:
    """A hook that keeps a copy of the last output."""

    def __init__(self) -> None:
        self.output: Tensor | None = None

    def __call__(self, module: nn.Module, args: tuple, output: Tensor) -> None:
        self.output = output.detach().clone()


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""

    found = dict(net.named_modules())
    missing = [name for name in names if name not in found]
    if missing:
        raise KeyError(f"no module called {missing[0]!r}")
    keepers = {name: Keeper() for name in names}
    with ExitStack() as stack:
        for name, keeper in keepers.items():
            handle = found[name].register_forward_hook(keeper)
            stack.callback(handle.remove)
        stack.enter_context(torch.no_grad())
        net(images)
    return {name: keeper.output for name, keeper in keepers.items()}


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""

    cells = []
    for one in maps:
        low, high = one.min(), one.max()
        cells.append((one - low) / (high - low) if high > low else torch.zeros_like(one))
    while len(cells) % columns:
        cells.append(torch.zeros_like(maps[0]))
    rows = [torch.cat(cells[start : start + columns], dim=1) for start in range(0, len(cells), columns)]
    return torch.cat(rows, dim=0)
