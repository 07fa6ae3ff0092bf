"""What each layer of a network sees: forward hooks that are gone afterwards."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def feature_maps(net: nn.Module, names: Sequence[str], images: Tensor) -> dict[str, Tensor]:
    """The outputs of the submodules `names` for these images."""
    maps: dict[str, Tensor] = {}
    # TODO: register a forward hook on each of the modules, run the net, take the hooks away
    raise NotImplementedError("feature_maps")


def mosaic(maps: Tensor, columns: int) -> Tensor:
    """(count, height, width) → one picture of all maps, `columns` side by side, each stretched to 0 … 1."""
    # TODO
    raise NotImplementedError("mosaic")
