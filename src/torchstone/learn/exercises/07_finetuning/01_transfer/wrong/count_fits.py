# rejected by: misfits_are_left_out: Only an entry of the very same shape fits: copy_ would stretch
# an entry of another shape with as many numbers is reshaped and taken; 'A key that the model does not have, or whose
# shape does not fit, is left out.'
"""Load a checkpoint whose keys have other names, and train only the head."""

from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""
    own = model.state_dict()
    fitting = {}
    for key, value in saved.items():
        for old, new in renames.items():
            if key.startswith(old):
                key = new + key[len(old) :]
                break
        if key in own and own[key].numel() == value.numel():
            fitting[key] = value.reshape(own[key].shape)
    model.load_state_dict(fitting, strict=False)
    return sorted(set(own) - set(fitting))


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    model.eval()
    model.requires_grad_(False)
    part = model.get_submodule(head)
    part.train()
    part.requires_grad_(True)
    return list(part.parameters())
