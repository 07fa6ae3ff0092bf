# earns: solved
# an ExitStack takes the hooks away; the mosaic by cat of rows and padding
"""What each layer of a network sees: forward hooks that are gone afterwards."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack

import torch
from torch import Tensor, nn


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""
    modules = dict(net.named_modules())
    missing = [name for name in names if name not in modules]
    if missing:
        raise KeyError(", ".join(missing))
    maps: dict[str, Tensor] = dict.fromkeys(names)

    def recorder(name: str) -> Callable[..., None]:
        def record(*call: object) -> None:
            with torch.no_grad():
                maps[name] = torch.clone(call[-1])

        return record

    with ExitStack() as stack, torch.no_grad():
        for name in names:
            stack.callback(modules[name].register_forward_hook(recorder(name)).remove)
        net(images)
    return maps


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    cells = []
    for one in maps:
        span = one.max() - one.min()
        cells.append((one - one.min()) / span if span > 0 else torch.zeros_like(one))
    while len(cells) % columns:
        cells.append(torch.zeros_like(maps[0]))
    return torch.cat([torch.cat(cells[at : at + columns], dim=1) for at in range(0, len(cells), columns)], dim=0)
