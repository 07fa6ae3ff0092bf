# rejected by: only_the_head_learns: Batch norm's running statistics are buffers
# "all the rest works as in evaluation: no dropout, batch norm with the statistics that it was loaded with": the whole
# model is in training mode
"""Load a checkpoint whose keys have other names, and train only the head."""

from torch import Tensor, nn


def renamed(key: str, renames: dict[str, str]) -> str:
    """The key with its new beginning."""
    for old, new in renames.items():
        if key.startswith(old):
            return new + key[len(old) :]
    return key


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""
    own = model.state_dict()
    named = {renamed(key, renames): value for key, value in saved.items()}
    fitting = {key: value for key, value in named.items() if key in own and own[key].shape == value.shape}
    model.load_state_dict(fitting, strict=False)
    return sorted(own.keys() - fitting.keys())


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    model.train()
    model.requires_grad_(False)
    part = model.get_submodule(head)
    part.train()
    part.requires_grad_(True)
    return list(part.parameters())
