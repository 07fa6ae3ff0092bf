# earns: solved lean
# the Jacobian of the vector of losses, reverse mode
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.func import functional_call, jacrev
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    weights = {name: weight.detach() for name, weight in model.named_parameters() if weight.requires_grad}

    def losses(weights: dict[str, Tensor]) -> Tensor:
        return functional.cross_entropy(functional_call(model, weights, (inputs,)), labels, reduction="none")

    return jacrev(losses)(weights) if weights else {}


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    gradients = sample_gradients(model, inputs, labels)
    flat = torch.cat([g.flatten(1) for g in gradients.values()], dim=1)
    norms = torch.linalg.vector_norm(flat, dim=1, keepdim=True)
    mean = (flat * torch.where(norms > limit, limit / norms, 1.0)).mean(0)
    pieces = mean.split([g[0].numel() for g in gradients.values()])
    return {name: piece.view(g.shape[1:]) for piece, (name, g) in zip(pieces, gradients.items())}
