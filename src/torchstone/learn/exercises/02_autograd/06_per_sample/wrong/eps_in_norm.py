# rejected by: short_gradients_count: the result of clipped_mean
# 1e-6 is added to the norm, which matters for short gradients and low limits; 'each scaled by min(1, limit / its
# norm) first'
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    n = len(inputs)
    names = [name for name, weight in model.named_parameters() if weight.requires_grad]
    weights = dict(model.named_parameters())

    def loss(parameters: dict[str, Tensor], x: Tensor, label: Tensor) -> Tensor:
        scores = functional_call(model, parameters, (x[None],))
        return functional.cross_entropy(scores, label[None])

    with torch.enable_grad():
        copies = {name: weights[name].detach().expand(n, *weights[name].shape).requires_grad_() for name in names}
        losses = vmap(loss, randomness="different")(copies, inputs.detach(), labels)
        found = torch.autograd.grad(losses.sum(), list(copies.values()), allow_unused=True, materialize_grads=True)
    return dict(zip(names, found, strict=True))


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    norms = torch.stack([gradient.flatten(1).norm(dim=1) for gradient in gradients.values()]).norm(dim=0)
    factors = (limit / (norms + 1e-6)).clamp(max=1)
    return {name: torch.einsum("n,n...->...", factors, g) / len(inputs) for name, g in gradients.items()}
