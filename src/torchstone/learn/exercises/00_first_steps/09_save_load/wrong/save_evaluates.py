# rejected by: the_file_is_a_state_dict: Train or eval is the caller
# saving in the middle of training leaves the model in evaluation mode; '`save` changes nothing in the model'
"""Save what a model has learned, and load it into another."""

from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    with open(path, "wb") as file:
        torch.save(model.eval().state_dict(), file)


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    with open(path, "rb") as file:
        state = torch.load(file, map_location="cpu", weights_only=True)
    model.load_state_dict(state)
    return model.eval()
