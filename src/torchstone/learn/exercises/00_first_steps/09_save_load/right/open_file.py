# earns: solved
# an open file, weights brought to the CPU before they are written
"""Save what a model has learned, and load it into another."""

from collections import OrderedDict
from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    weights = OrderedDict((name, value.detach().cpu()) for name, value in model.state_dict().items())
    with open(path, "wb") as file:
        torch.save(weights, file)


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    with open(path, "rb") as file:
        weights = torch.load(file, map_location=torch.device("cpu"), weights_only=True)
    model.load_state_dict(weights, strict=True)
    model.train(False)
    return model
