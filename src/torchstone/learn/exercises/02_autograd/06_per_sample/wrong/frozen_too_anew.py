# rejected by: frozen_parameters_are_left_out: Only parameters with requires_grad are asked for
# frozen parameters get an entry too, and count in the norm; 'for each parameter of model that requires a gradient'
# (first layer frozen)
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    weights = {name: weight.detach() for name, weight in model.named_parameters()}

    def loss(weights: dict[str, Tensor], one: Tensor, label: Tensor) -> Tensor:
        scores = functional_call(model, weights, (one.unsqueeze(0),))
        return functional.cross_entropy(scores, label.unsqueeze(0))

    return vmap(grad(loss), in_dims=(None, 0, 0))(weights, inputs, labels)


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    norms = torch.cat([one.flatten(1) for one in gradients.values()], dim=1).norm(dim=1)
    factors = (limit / norms).clamp(max=1)
    return {name: torch.einsum("n,n...->...", factors, one) / len(inputs) for name, one in gradients.items()}
