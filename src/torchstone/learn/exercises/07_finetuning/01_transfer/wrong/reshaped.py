# rejected by: misfits_are_left_out: Only an entry of the very same shape fits
# 'whose shape does not fit, is left out': anything with the same number of elements is pressed in by a reshape
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


@torch.no_grad()
def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    own = model.state_dict()
    left = set(own)
    for key, tensor in saved.items():
        for old, new in renames.items():
            if key.startswith(old):
                key = new + key[len(old) :]
                break
        if key in own and own[key].numel() == tensor.numel():
            own[key].copy_(tensor.reshape(own[key].shape))
            left.discard(key)
    return sorted(left)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    model.eval().requires_grad_(False)
    part = model.get_submodule(head)
    part.train().requires_grad_(True)
    return list(part.parameters())
