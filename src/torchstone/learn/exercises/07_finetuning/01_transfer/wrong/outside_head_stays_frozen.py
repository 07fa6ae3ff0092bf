# rejected by: only_the_head_learns: The model may come frozen from end to end
# "It is called before every epoch, whatever state the model was left in": a head frozen earlier is never thawed
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""
    own = model.state_dict()
    missing = set(own)
    with torch.no_grad():
        for key, tensor in saved.items():
            front = max((old for old in renames if key.startswith(old)), key=len, default=None)
            if front is not None:
                key = renames[front] + key[len(front) :]
            if key in own and own[key].shape == tensor.shape:
                own[key].copy_(tensor)
                missing.discard(key)
    return sorted(missing)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    chosen = model.get_submodule(head)
    model.eval()
    chosen.train()
    inside = {id(p) for p in chosen.parameters()}
    for p in model.parameters():
        if id(p) not in inside:
            p.requires_grad = False
    return list(chosen.parameters())
