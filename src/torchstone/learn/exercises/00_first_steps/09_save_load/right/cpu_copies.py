# earns: solved
# the tensors are saved as detached copies on the CPU, through an open file; a function as map_location
"""Save what a model has learned, and load it into another."""

from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    state = model.state_dict()
    for name, value in list(state.items()):
        state[name] = value.detach().to("cpu", copy=True)
    with open(path, "wb") as file:
        torch.save(state, file)


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    with open(path, "rb") as file:
        state = torch.load(file, map_location=lambda storage, place: storage, weights_only=True)
    model.load_state_dict(state)
    model.eval()
    return model
