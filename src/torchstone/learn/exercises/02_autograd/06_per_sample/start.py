"""The gradient of each sample's own loss, all at once."""

import torch
from torch import Tensor, nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional


def sample_gradients(model: nn.Module, inputs: Tensor, labels: Tensor) -> dict[str, Tensor]:
    """For each trainable parameter, (n, *its shape)."""
    # TODO: right for the whole batch, and not for each sample
    model.zero_grad()
    functional.cross_entropy(model(inputs), labels).backward()
    return {name: weight.grad for name, weight in model.named_parameters()}


def clipped_mean(model: nn.Module, inputs: Tensor, labels: Tensor, limit: float) -> dict[str, Tensor]:
    """The mean of the samples' gradients, none of which is longer than `limit`."""
    # TODO
    raise NotImplementedError("clipped_mean")
