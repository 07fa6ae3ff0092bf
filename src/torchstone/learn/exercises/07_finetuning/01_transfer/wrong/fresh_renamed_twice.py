# rejected by: checkpoint_is_loaded: Each key changes its front once: not in its middle (features.fc.weight has
# a key that was renamed is renamed again by the next entry; 'every key is renamed at most once, at its front'
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
        if key in own and own[key].shape == value.shape:
            fitting[key] = value
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
