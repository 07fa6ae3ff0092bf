# rejected by: only_the_head_learns: The model may come frozen from end to end: switch gradients on
# only what is outside of the head is switched, so a head that was left frozen or in eval mode stays so; 'It is called
# before every epoch, whatever state the model was left in.'
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
        if key in own and own[key].shape == value.shape:
            fitting[key] = value
    model.load_state_dict(fitting, strict=False)
    return sorted(set(own) - set(fitting))


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    part = model.get_submodule(head)
    model.train()
    for module in set(model.modules()) - set(part.modules()):
        module.training = False
    for parameter in set(model.parameters()) - set(part.parameters()):
        parameter.requires_grad_(False)
    return list(part.parameters())
