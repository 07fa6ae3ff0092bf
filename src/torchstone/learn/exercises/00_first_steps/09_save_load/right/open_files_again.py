# earns: solved
# files opened by hand, a function as map_location, train(False)
"""Save what a model has learned, and load it into another."""

from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    with Path(path).open("wb") as file:
        torch.save(model.state_dict(), file)


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    with Path(path).open("rb") as file:
        state = torch.load(file, map_location=lambda storage, _: storage, weights_only=True)
    model.load_state_dict(state, strict=True)
    model.train(False)
    return model
