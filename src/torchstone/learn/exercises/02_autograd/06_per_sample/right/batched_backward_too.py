# earns: solved
# one batched backward pass from a one-hot gradient for each loss
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    weights = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}

    with torch.enable_grad():
        losses = functional.cross_entropy(model(inputs), labels, reduction="none")
    each = torch.eye(len(losses), dtype=losses.dtype, device=losses.device)
    gradients = torch.autograd.grad(
        losses, list(weights.values()), each, is_grads_batched=True, allow_unused=True, materialize_grads=True
    )
    return dict(zip(weights, gradients))


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    norms = sum(g.flatten(1).square().sum(1) for g in gradients.values()).sqrt()
    factors = (limit / norms).clamp(max=1)
    return {name: torch.einsum("n,n...->...", factors, g) / len(inputs) for name, g in gradients.items()}
