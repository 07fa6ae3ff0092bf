# rejected by: misfits_are_refused: load should raise RuntimeError here and returned instead
# names of the file that the model lacks are dropped silently; 'If names in the file do not fit the model, do not
# hide it'
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
    known = model.state_dict()
    model.load_state_dict({name: tensor for name, tensor in state.items() if name in known})
    return model.eval()
