# rejected by: only_the_head_learns: Batch norm's running statistics are buffers: they follow train() and eval(), not
# with the head `head` also `head_norm` or `header` learns and trains; 'makes the model ready for an epoch in which
# only the submodule named `head` learns'
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
    model.requires_grad_(False)
    for name, module in model.named_modules():
        if name.startswith(head):
            module.train()
    learning = []
    for name, weight in model.named_parameters():
        if name.startswith(head):
            weight.requires_grad_(True)
            if name.startswith(head + "."):
                learning.append(weight)
    return learning
