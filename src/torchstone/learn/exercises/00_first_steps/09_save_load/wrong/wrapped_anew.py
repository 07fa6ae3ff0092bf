# rejected by: the_file_is_a_state_dict: The file should hold model.state_dict()
# the file holds {'model': state dict} like a checkpoint; 'writes the model's state dict to the file' / 'the file
# holds a plain state dict'
"""Save what a model has learned, and load it into another."""

from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    torch.save({"model": model.state_dict()}, path)


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state["model"])
    return model.eval()
