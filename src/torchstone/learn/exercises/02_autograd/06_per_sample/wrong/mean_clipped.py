# rejected by: long_gradients_are_clipped: the result of clipped_mean
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    weights = {name: weight.detach() for name, weight in model.named_parameters() if weight.requires_grad}

    def loss(weights: dict[str, Tensor], sample: Tensor, label: Tensor) -> Tensor:
        scores = functional_call(model, weights, (sample[None],))
        return functional.cross_entropy(scores, label[None])

    with torch.no_grad():
        return vmap(grad(loss), in_dims=(None, 0, 0))(weights, inputs, labels)


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    means = {name: one.mean(0) for name, one in gradients.items()}
    norm = torch.stack([one.norm() for one in means.values()]).norm()
    return {name: one * (limit / norm).clamp(max=1) for name, one in means.items()}
