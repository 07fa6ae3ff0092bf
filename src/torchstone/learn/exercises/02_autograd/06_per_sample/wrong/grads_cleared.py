# rejected by: gradients_are_right: What has gathered in
# "Nothing of the model changes: no `.grad`, no mode, no flag": clears what the model had in .grad
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    model.zero_grad()
    weights = {name: weight.detach() for name, weight in model.named_parameters() if weight.requires_grad}

    def loss(weights: dict[str, Tensor], sample: Tensor, label: Tensor) -> Tensor:
        scores = functional_call(model, weights, (sample[None],))
        return functional.cross_entropy(scores, label[None])

    return vmap(grad(loss), in_dims=(None, 0, 0))(weights, inputs, labels)


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    norms = sum(g.flatten(1).square().sum(1) for g in gradients.values()).sqrt()
    factors = (limit / norms).clamp(max=1)
    return {name: torch.einsum("n,n...->...", factors, g) / len(inputs) for name, g in gradients.items()}
