# earns: solved
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    chosen = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    with torch.enable_grad():
        losses = functional.cross_entropy(model(inputs), labels, reduction="none")
    seeds = torch.eye(len(losses), dtype=losses.dtype, device=losses.device)
    rows = torch.autograd.grad(
        losses, tuple(chosen.values()), seeds, is_grads_batched=True, allow_unused=True, materialize_grads=True
    )
    return {name: row.detach() for name, row in zip(chosen, rows, strict=True)}


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    squares = sum(g.flatten(1).square().sum(1) for g in gradients.values())
    norms = squares.sqrt()
    factors = torch.where(norms > limit, limit / norms, torch.ones_like(norms))
    return {name: (g * factors.reshape(-1, *(1,) * (g.dim() - 1))).mean(0) for name, g in gradients.items()}
