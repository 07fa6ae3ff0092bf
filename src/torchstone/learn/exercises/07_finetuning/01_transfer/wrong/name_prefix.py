# rejected by: only_the_head_learns: A name may begin like another (head_norm is not in head)
# 'only the submodule named `head` learns': startswith(head) also frees `head2.` and `header.`
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
    result = []
    for name, module in model.named_modules():
        module.training = name.startswith(head)
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(name.startswith(head))
        if parameter.requires_grad:
            result.append(parameter)
    return result
