# earns: solved lean
# copy_ into the model's own entries, modes and flags set one by one
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""

    def renamed(key: str) -> str:
        old = next((front for front in renames if key.startswith(front)), None)
        return key if old is None else renames[old] + key.removeprefix(old)

    entries = model.state_dict(keep_vars=True)
    missing = set(entries)
    with torch.no_grad():
        for key, value in saved.items():
            name = renamed(key)
            target = entries.get(name)
            if target is not None and target.shape == value.shape:
                target.copy_(value)
                missing.discard(name)
    return sorted(missing)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    learner = model.get_submodule(head)
    inside = set(learner.modules())
    learning = {id(weight): weight for weight in learner.parameters()}
    for module in model.modules():
        module.training = module in inside
    for weight in model.parameters():
        weight.requires_grad = id(weight) in learning
    return list(learning.values())
