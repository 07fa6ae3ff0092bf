# rejected by: hooks_are_removed_after_a_failure: register_forward_hook returns a handle: call its remove() in
# when the net raises, the hooks stay; 'When the function ends, **however it ends**, the net has as many hooks as
# before'
"""What each layer of a network sees: forward hooks that are gone afterwards."""

from collections.abc import Sequence
from contextlib import ExitStack

import torch
from torch import Tensor, nn


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""
    modules = dict(net.named_modules())
    for name in names:
        if name not in modules:
            raise KeyError(f"the net has no module {name!r}")
    maps: dict[str, Tensor] = {}
    handles = []
    if True:
        for name in names:

            def keep(_module: nn.Module, _inputs: object, output: Tensor, name: str = name) -> None:
                maps[name] = output.detach().clone()

            handles.append(modules[name].register_forward_hook(keep))
        with torch.no_grad():
            net(images)
        for handle in handles:
            handle.remove()
    return {name: maps[name] for name in names}


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    count, height, width = maps.shape
    rows = -(-count // columns)
    low, high = maps.amin((1, 2), keepdim=True), maps.amax((1, 2), keepdim=True)
    span = high - low
    stretched = (maps - low) / torch.where(span > 0, span, torch.ones_like(span))
    cells = maps.new_zeros(rows, columns, height, width)
    place = torch.arange(count, device=maps.device)
    cells[place // columns, place % columns] = stretched
    return cells.transpose(1, 2).reshape(rows * height, columns * width)
