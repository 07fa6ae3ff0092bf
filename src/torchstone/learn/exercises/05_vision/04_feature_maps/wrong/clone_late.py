# rejected by: code_may_work_in_place: What comes after the layer
# "even where what comes next works in place": copied when the next module begins, not when the layer has run
"""What each layer of a network sees: forward hooks that are gone afterwards."""

from collections.abc import Sequence
from contextlib import ExitStack

import torch
from torch import Tensor, nn
from torch.nn import functional


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""
    maps: dict[str, Tensor] = {}
    modules = dict(net.named_modules())

    def keep(name: str, output: Tensor) -> None:
        # A copy: the next layer may write into the very same memory.
        maps[name] = output.detach()

    # Leaving the stack takes the hooks away, after an exception too.
    with ExitStack() as hooks, torch.no_grad():
        for name in names:
            hook = modules[name].register_forward_hook(lambda module, args, output, name=name: keep(name, output))
            hooks.callback(hook.remove)
        hooks.enter_context(_Copies(net, maps))
        net(images)
    return {name: maps[name] for name in names}


class _Copies:
    def __init__(self, net, maps):
        self.net, self.maps, self.hooks = net, maps, []

    def __enter__(self):
        def before(module, args):
            for name, one in self.maps.items():
                self.maps[name] = one.clone()

        self.hooks = [one.register_forward_pre_hook(before) for one in self.net.modules()]

    def __exit__(self, *_):
        for one in self.hooks:
            one.remove()


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    low, high = maps.amin((1, 2), keepdim=True), maps.amax((1, 2), keepdim=True)
    # Where high equals low every difference is 0, and 0 divided by anything but 0 stays 0.
    stretched = (maps - low) / (high - low).masked_fill(high == low, 1)
    missing = -len(maps) % columns
    cells = functional.pad(stretched, (0, 0, 0, 0, 0, missing)).unflatten(0, (-1, columns))
    # (rows, columns, height, width): a row of the picture runs through all columns first.
    return cells.transpose(1, 2).flatten(2, 3).flatten(0, 1)
