# rejected by: no_trace_is_left: Train or eval is the caller's choice, layer by layer, some
# eval() and then train(was) gives every submodule the mode of the whole; 'Nothing of the model changes: no `.grad`,
# no mode, no flag'
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    weights = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    if not weights:
        return {}
    training = model.training
    model.eval()
    with torch.enable_grad():
        losses = functional.cross_entropy(model(inputs), labels, reduction="none")
    model.train(training)
    pick = torch.eye(len(labels), dtype=losses.dtype, device=losses.device)
    found = torch.autograd.grad(losses, list(weights.values()), pick, is_grads_batched=True, allow_unused=True)
    return {
        name: weight.new_zeros(len(labels), *weight.shape) if gradient is None else gradient
        for (name, weight), gradient in zip(weights.items(), found, strict=True)
    }


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    if not gradients:
        return {}
    n = len(labels)
    norms = torch.stack([g.reshape(n, -1).norm(dim=1) for g in gradients.values()]).norm(dim=0)
    factors = torch.where(norms > limit, limit / norms, torch.ones_like(norms))
    return {name: torch.tensordot(factors.to(g.dtype), g, dims=1) / n for name, g in gradients.items()}
