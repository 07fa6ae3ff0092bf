# rejected by: files_run_no_code: only=True reads tensors and refuses everything else: there
# reads with weights_only=False, so that a file can run code
from pathlib import Path

import torch
from torch import nn


def save(model: nn.Module, path: Path) -> None:
    torch.save(model.state_dict(), path)


def load(model: nn.Module, path: Path) -> nn.Module:
    state = torch.load(path, map_location="cpu", weights_only=False)
    model.load_state_dict(state)
    model.eval()
    return model
