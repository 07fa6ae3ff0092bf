# rejected by: ops_do_not_grow: A loop over the samples pays for each
# "as many ops for many samples as for few": one backward pass for each sample
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    weights = {name: weight.detach() for name, weight in model.named_parameters() if weight.requires_grad}

    for weight in weights.values():
        weight.requires_grad_()
    rows = []
    with torch.enable_grad():
        for sample, label in zip(inputs, labels):
            scores = functional_call(model, weights, (sample[None],))
            loss = functional.cross_entropy(scores, label[None])
            rows.append(torch.autograd.grad(loss, list(weights.values()), materialize_grads=True, allow_unused=True))
    return {name: torch.stack(column) for name, column in zip(weights, zip(*rows))}


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    norms = sum(g.flatten(1).square().sum(1) for g in gradients.values()).sqrt()
    factors = (limit / norms).clamp(max=1)
    return {name: torch.einsum("n,n...->...", factors, g) / len(inputs) for name, g in gradients.items()}
