# rejected by: only_the_head_learns: Batch norm's running statistics are buffers
# 'batch norm with the statistics that it was loaded with, which stay as they are': only requires_grad is turned off,
# the body stays in train mode
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    own = model.state_dict()
    fitting = {}
    for key, tensor in saved.items():
        for old, new in renames.items():
            if key.startswith(old):
                key = new + key[len(old) :]
                break
        if key in own and own[key].shape == tensor.shape:
            fitting[key] = tensor
    model.load_state_dict(fitting, strict=False)
    return sorted(own.keys() - fitting.keys())


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    model.train()
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    part = model.get_submodule(head)
    for parameter in part.parameters():
        parameter.requires_grad_(True)
    return list(part.parameters())
