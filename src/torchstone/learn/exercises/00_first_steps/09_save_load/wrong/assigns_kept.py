# rejected by: on_another_device: dict copies to where the model is. The
# the tensors from the file replace the model's own, which leaves its device for the CPU
from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    torch.save(model.state_dict(), path)


def load(model: nn.Module, path: Path) -> nn.Module:
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state, assign=True)
    model.eval()
    return model
