# rejected by: rest_works_as_in_evaluation: The loaded weights fit the loaded statistics: no dropout, no statistics of the
# only the innermost modules go to eval mode, and dropout as a function follows the outer one's flag; 'all the rest
# works as in evaluation: no dropout'
"""Load a checkpoint whose keys have other names, and train only the head."""

from torch import Tensor, nn


def load_renamed(model: nn.Module, saved: dict[str, Tensor], renames: dict[str, str]) -> list[str]:
    """Copy what fits of `saved` into `model`; returns the names of its entries that were not filled, sorted."""
    own = model.state_dict()
    named = {_rename(key, renames): value for key, value in saved.items()}
    fitting = {key: value for key, value in named.items() if key in own and own[key].shape == value.shape}
    # strict=False forgives missing and unknown keys, but never a wrong shape: those are gone by now.
    model.load_state_dict(fitting, strict=False)
    return sorted(own.keys() - fitting.keys())


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    # requires_grad rules gradients; what batch norm and dropout do is ruled by the mode alone.
    model.requires_grad_(False).train()
    for part in model.modules():
        if not list(part.children()):
            part.eval()
    learning = model.get_submodule(head).requires_grad_(True).train()
    return list(learning.parameters())


def _rename(key: str, renames: dict[str, str]) -> str:
    for old, new in renames.items():
        if key.startswith(old):
            return new + key.removeprefix(old)
    return key
