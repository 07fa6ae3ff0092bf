# rejected by: zero_stays_zero: With a single class nothing can be wrong
# "A gradient of zero stays zero": a gradient of zero is divided by its norm
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

    return vmap(grad(loss), in_dims=(None, 0, 0))(weights, inputs, labels)


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    norms = sum(g.flatten(1).square().sum(1) for g in gradients.values()).sqrt()
    factors = norms.clamp(max=limit) / norms
    return {name: torch.einsum("n,n...->...", factors, g) / len(inputs) for name, g in gradients.items()}
