# earns: solved lean
# copies entry by entry with copy_, and walks over named modules and parameters
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""

    def renamed(key: str) -> str:
        return next((new + key.removeprefix(old) for old, new in renames.items() if key.startswith(old)), key)

    arrived = {renamed(key): value for key, value in saved.items()}
    missing = []
    with torch.no_grad():
        for name, entry in model.state_dict().items():
            if name in arrived and arrived[name].shape == entry.shape:
                entry.copy_(arrived[name])
            else:
                missing.append(name)
    return sorted(missing)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    part = model.get_submodule(head)
    inside = set(part.modules())
    for module in model.modules():
        module.training = module in inside
    learning = set(part.parameters())
    for parameter in model.parameters():
        parameter.requires_grad = parameter in learning
    return [*part.parameters()]
