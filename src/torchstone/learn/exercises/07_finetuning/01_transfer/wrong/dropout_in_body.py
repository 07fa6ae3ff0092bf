# rejected by: rest_works_as_in_evaluation: The loaded weights fit the loaded statistics
# 'all the rest works as in evaluation: no dropout': only the batch norms of the body are put into eval mode
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
    model.requires_grad_(False)
    part = model.get_submodule(head)
    part.requires_grad_(True)
    in_head = set(part.modules())
    for module in model.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm) and module not in in_head:
            module.eval()
    return list(part.parameters())
