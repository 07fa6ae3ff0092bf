# rejected by: misfits_are_left_out: Only an entry of the very same shape fits
# 'returns the sorted names of the model's own entries (parameters and buffers)': buffers that were not filled are
# never named
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
    return sorted(name for name, _ in model.named_parameters() if name not in fitting)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    model.eval().requires_grad_(False)
    part = model.get_submodule(head)
    part.train().requires_grad_(True)
    return list(part.parameters())
