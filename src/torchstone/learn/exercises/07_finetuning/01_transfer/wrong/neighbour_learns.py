# rejected by: only_the_head_learns: A name may begin like another (head
# a module whose name only begins like the head's (head2 beside head) learns too
"""Load a checkpoint whose keys have other names, and train only the head."""

from torch import Tensor, nn


def _renamed(key: str, renames: dict[str, str]) -> str:
    fitting = [old for old in renames if key.startswith(old)]
    return renames[fitting[0]] + key.removeprefix(fitting[0]) if fitting else key


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""
    shapes = {name: tensor.shape for name, tensor in model.state_dict().items()}
    new = {_renamed(key, renames): tensor for key, tensor in saved.items()}
    fitting = {name: tensor for name, tensor in new.items() if shapes.get(name) == tensor.shape}
    model.load_state_dict(fitting, strict=False)
    return sorted(shapes.keys() - fitting.keys())


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    inside = head
    for name, module in model.named_modules():
        module.training = name == head or name.startswith(inside)
    chosen = []
    for name, parameter in model.named_parameters():
        parameter.requires_grad = name.startswith(inside)
        if parameter.requires_grad:
            chosen.append(parameter)
    return chosen
