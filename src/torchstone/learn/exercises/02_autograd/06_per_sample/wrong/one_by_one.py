# rejected by: ops_do_not_grow: A loop over the samples pays for each
# right, but a loop over the samples; 'as many ops for many samples as for few'
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    weights = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    rows = []
    for i in range(len(inputs)):
        loss = functional.cross_entropy(model(inputs[i : i + 1]), labels[i : i + 1])
        rows.append(torch.autograd.grad(loss, list(weights.values()), materialize_grads=True))
    return {name: torch.stack(column) for name, column in zip(weights, zip(*rows))}


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    norms = torch.cat([one.flatten(1) for one in gradients.values()], dim=1).norm(dim=1)
    factors = (limit / norms).clamp(max=1)
    return {name: torch.einsum("n,n...->...", factors, one) / len(inputs) for name, one in gradients.items()}
