# rejected by: misfits_are_refused: load should raise RuntimeError here and returned instead
# a prefix `module.` in the file's names is taken off silently; 'If names in the file do not fit the model, do not hide
# it'
from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    torch.save(model.state_dict(), path)


def load(model: nn.Module, path: Path) -> nn.Module:
    state = torch.load(path, map_location="cpu", weights_only=True)
    if all(name.startswith("module.") for name in state):
        state = {name.removeprefix("module."): weight for name, weight in state.items()}
    model.load_state_dict(state)
    return model.eval()
