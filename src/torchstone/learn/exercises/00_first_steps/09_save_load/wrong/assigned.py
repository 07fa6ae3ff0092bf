# rejected by: on_another_device: load_state_dict copies to where the model is
# assign=True puts the CPU tensors of the file into the model; 'The model stays on its device' (a model on another
# device than the CPU)
"""Save what a model has learned, and load it into another."""

from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    torch.save(model.state_dict(), path)


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state, assign=True)
    return model.eval()
