# rejected by: only_the_head_learns: The head works as in training
# 'The head works as in training': the whole model is put into eval mode, the head's own dropout and batch norm too
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
    model.eval()
    model.requires_grad_(False)
    part = model.get_submodule(head)
    part.requires_grad_(True)
    return list(part.parameters())
