# earns: solved
# through bytes in memory, map_location as a function
"""Save what a model has learned, and load it into another."""

import io
from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    """Write the model's state dict to a file."""
    buffer = io.BytesIO()
    torch.save(model.state_dict(), buffer)
    Path(path).write_bytes(buffer.getvalue())


def load(model: nn.Module, path: Path) -> nn.Module:
    """Read a saved state dict into `model`, and return it, ready for use."""
    buffer = io.BytesIO(Path(path).read_bytes())
    model.load_state_dict(torch.load(buffer, map_location=lambda storage, place: storage, weights_only=True))
    return model.eval()
