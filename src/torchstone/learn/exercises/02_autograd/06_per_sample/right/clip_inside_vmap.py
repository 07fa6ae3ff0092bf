# earns: solved lean
# the clipping of one sample happens inside vmap as well
"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional


def _alone(model: nn.Module):
    """The gradient of one sample's loss, as a function of the sample."""
    trained = {name: weight.detach() for name, weight in model.named_parameters() if weight.requires_grad}

    def loss(weights: dict[str, Tensor], one: Tensor, label: Tensor) -> Tensor:
        logs = functional.log_softmax(functional_call(model, weights, one[None]), dim=-1)
        return functional.nll_loss(logs, label[None])

    return lambda one, label: grad(loss)(trained, one, label)


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    return vmap(_alone(model))(inputs, labels)


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    alone = _alone(model)

    def clipped(one: Tensor, label: Tensor) -> dict[str, Tensor]:
        found = alone(one, label)
        norm = torch.linalg.vector_norm(torch.cat([part.reshape(-1) for part in found.values()]))
        return {name: part * (limit / norm).clamp(max=1) for name, part in found.items()}

    return {name: parts.mean(0) for name, parts in vmap(clipped)(inputs, labels).items()}
