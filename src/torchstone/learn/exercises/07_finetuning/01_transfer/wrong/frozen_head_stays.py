# rejected by: only_the_head_learns: The model may come frozen from end to end: switch gradients on for the head,
# a head that was frozen before stays frozen; 'It is called before every epoch, whatever state the model was left in'
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
    return sorted(own.keys() - fitting.keys())


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    model.eval()
    learner = model.get_submodule(head)
    learner.train()
    mine = list(learner.parameters())
    for weight in model.parameters():
        if all(weight is not one for one in mine):
            weight.requires_grad_(False)
    return mine
