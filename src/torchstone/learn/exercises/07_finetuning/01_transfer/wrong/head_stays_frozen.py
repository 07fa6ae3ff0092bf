# rejected by: only_the_head_learns: The model may come frozen from end to end
# 'whatever state the model was left in': the head's parameters are assumed to require gradients, after a fully frozen
# evaluation they never learn
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
    part = model.get_submodule(head)
    part.train()
    mine = {id(p) for p in part.parameters()}
    for parameter in model.parameters():
        if id(parameter) not in mine:
            parameter.requires_grad_(False)
    return list(part.parameters())
