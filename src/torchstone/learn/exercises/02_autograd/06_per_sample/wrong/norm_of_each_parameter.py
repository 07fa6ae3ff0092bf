# rejected by: long_gradients_are_clipped: Each parameter was clipped by its own norm: a sample has one
# each parameter's gradient is clipped by its own norm; promised: "The norm of a sample goes over *all* parameters
# together"
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    weights = {name: weight.detach() for name, weight in model.named_parameters() if weight.requires_grad}

    def sample_loss(weights: dict[str, Tensor], x: Tensor, label: Tensor) -> Tensor:
        return functional.cross_entropy(functional_call(model, weights, (x[None],)), label[None])

    gradients = vmap(grad(sample_loss), in_dims=(None, 0, 0))(weights, inputs, labels)
    return {name: gradients[name].detach() for name in weights}


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    result = {}
    for name, gradient in sample_gradients(model, inputs, labels).items():
        norms = gradient.flatten(1).norm(dim=1)
        factors = torch.where(norms > limit, limit / norms, torch.ones_like(norms))
        result[name] = torch.tensordot(factors, gradient, dims=1) / len(inputs)
    return result
