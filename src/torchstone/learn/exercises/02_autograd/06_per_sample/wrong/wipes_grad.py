# rejected by: gradients_are_right: What has gathered in .grad is the caller's,
# begins with model.zero_grad(), so a gradient that the model had is gone; demanded: "Nothing of the model changes: no
# `.grad`, no mode, no flag"
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    n = len(inputs)
    model.zero_grad()
    with torch.enable_grad():
        copies = {
            name: weight.detach().unsqueeze(0).expand(n, *weight.shape).requires_grad_()
            for name, weight in model.named_parameters()
            if weight.requires_grad
        }

        def sample_loss(weights: dict[str, Tensor], x: Tensor, label: Tensor) -> Tensor:
            scores = functional_call(model, weights, (x.unsqueeze(0),))
            return functional.cross_entropy(scores, label.unsqueeze(0))

        losses = vmap(sample_loss, randomness="different")(copies, inputs, labels)
        gradients = torch.autograd.grad(losses.sum(), list(copies.values()), allow_unused=True, materialize_grads=True)
    return {name: gradient.detach() for name, gradient in zip(copies, gradients)}


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    squares = sum(gradient.flatten(1).square().sum(1) for gradient in gradients.values())
    norms = squares.sqrt()
    factors = torch.where(norms > limit, limit / norms, torch.ones_like(norms))
    return {name: torch.tensordot(factors, gradient, dims=1) / len(inputs) for name, gradient in gradients.items()}
