# earns: solved
# through bytes in memory
import io
from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    memory = io.BytesIO()
    torch.save(model.state_dict(), memory)
    Path(path).write_bytes(memory.getvalue())


def load(model: nn.Module, path: Path) -> nn.Module:
    memory = io.BytesIO(Path(path).read_bytes())
    model.load_state_dict(torch.load(memory, map_location=lambda storage, place: storage, weights_only=True))
    return model.eval()
