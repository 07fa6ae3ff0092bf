# rejected by: misfits_are_refused: load should raise RuntimeError here and returned instead
# names that do not fit are hidden by strict=False
from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    torch.save(model.state_dict(), path)


def load(model: nn.Module, path: Path) -> nn.Module:
    state = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(state, strict=False)
    model.eval()
    return model
