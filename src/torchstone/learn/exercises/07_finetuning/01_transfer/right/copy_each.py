# earns: solved lean
# every entry of the model is filled by copy_, names looked up backwards
"""Load a checkpoint whose keys have other names, and train only the head."""

import torch
from torch import Tensor, nn


@torch.no_grad()
def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""
    old_names = {}
    for key in saved:
        begin = next((old for old in renames if key.startswith(old)), None)
        old_names[key if begin is None else renames[begin] + key.removeprefix(begin)] = key
    missing = []
    for name, entry in model.state_dict().items():
        source = saved[old_names[name]] if name in old_names else None
        if source is None or source.size() != entry.size():
            missing.append(name)
        else:
            entry.copy_(source)
    missing.sort()
    return missing


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    model.train(False)
    top = model.get_submodule(head).train(True)
    learning = list(top.parameters())
    for parameter in model.parameters():
        parameter.requires_grad = any(parameter is one for one in learning)
    return learning
