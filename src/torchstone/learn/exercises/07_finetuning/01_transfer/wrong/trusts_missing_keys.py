# rejected by: a_whole_prefix_can_go: Parameters and buffers count alike: batch norm without its statistics is not
# batch norm's num_batches_tracked is not reported when the checkpoint lacks it, because load_state_dict makes one up;
# 'It returns the sorted names of the model's own entries (parameters and buffers) that were *not* filled'
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
    return sorted(model.load_state_dict(fitting, strict=False).missing_keys)


def prepare(model: nn.Module, head: str) -> list[nn.Parameter]:
    """Make only the submodule `head` learn in the coming epoch; returns its parameters."""
    model.eval()
    model.requires_grad_(False)
    learner = model.get_submodule(head)
    learner.train()
    learner.requires_grad_(True)
    return list(learner.parameters())
