# rejected by: long_gradients_are_clipped: Each parameter was clipped by its own norm
# each parameter is clipped by its own norm; 'The norm of a sample goes over *all* parameters together' (a Linear
# with weight and bias)
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    weights = {name: weight.detach() for name, weight in model.named_parameters() if weight.requires_grad}

    def loss(weights: dict[str, Tensor], one: Tensor, label: Tensor) -> Tensor:
        scores = functional_call(model, weights, (one.unsqueeze(0),))
        return functional.cross_entropy(scores, label.unsqueeze(0))

    return vmap(grad(loss), in_dims=(None, 0, 0))(weights, inputs, labels)


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    result = {}
    for name, one in gradients.items():
        factors = (limit / one.flatten(1).norm(dim=1)).clamp(max=1)
        result[name] = torch.einsum("n,n...->...", factors, one) / len(inputs)
    return result
