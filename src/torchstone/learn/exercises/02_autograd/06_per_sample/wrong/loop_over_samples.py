# rejected by: ops_do_not_grow: A loop over the samples pays for each; vmap runs the function
# a loop over the batch; promised: "Lean: as many ops for many samples as for few"
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    weights = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    rows = []
    with torch.enable_grad():
        for i in range(len(inputs)):
            loss = functional.cross_entropy(model(inputs[i : i + 1]), labels[i : i + 1])
            rows.append(torch.autograd.grad(loss, list(weights.values()), allow_unused=True, materialize_grads=True))
    return {name: torch.stack(column) for name, column in zip(weights, zip(*rows))}


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    norms = sum(gradient.flatten(1).square().sum(1) for gradient in gradients.values()).sqrt()
    factors = torch.where(norms > limit, limit / norms, torch.ones_like(norms))
    return {name: torch.tensordot(factors, gradient, dims=1) / len(inputs) for name, gradient in gradients.items()}
