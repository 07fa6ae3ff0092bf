# rejected by: only_the_head_learns: A name may begin like another (head_norm is not in head)
# takes every name that begins with the head's: with head 'head' a submodule 'header' or 'head2' learns too ('only
# the submodule named head learns')
"""Load a checkpoint whose keys have other names, and train only the head."""

from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""
    shapes = {name: tensor.shape for name, tensor in model.state_dict().items()}
    fitting = {}
    for key, value in saved.items():
        old = next((front for front in renames if key.startswith(front)), None)
        if old is not None:
            key = renames[old] + key[len(old) :]
        if shapes.get(key) == value.shape:
            fitting[key] = value
    model.load_state_dict(fitting, strict=False)
    return sorted(name for name in shapes if name not in fitting)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    front = head
    for name, module in model.named_modules():
        module.training = name == head or name.startswith(front)
    learning = []
    for name, parameter in model.named_parameters():
        parameter.requires_grad = name.startswith(front)
        if parameter.requires_grad:
            learning.append(parameter)
    return learning
