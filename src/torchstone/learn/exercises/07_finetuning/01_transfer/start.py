"""Load a checkpoint whose keys have other names, and train only the head."""

from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""
    # TODO: rename the keys, leave out what does not fit, say what is missing
    model.load_state_dict(saved, strict=False)
    return []


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    model.train()
    # TODO: the rest of the model must stay as it is
    return list(model.parameters())
