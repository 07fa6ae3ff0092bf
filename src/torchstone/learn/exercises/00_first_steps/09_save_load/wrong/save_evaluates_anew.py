# rejected by: the_file_is_a_state_dict: Train or eval is the caller's choice
# save leaves the model in evaluation mode; '`save` changes nothing in the model' (a model in train mode)
"""Save what a model has learned, and load it into another."""

from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    model.eval()
    torch.save(model.state_dict(), path)


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state)
    return model.eval()
