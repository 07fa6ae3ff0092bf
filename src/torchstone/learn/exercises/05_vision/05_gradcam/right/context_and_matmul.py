# earns: solved
# a context manager for the hook, matrix products for the maps, masked division
"""Grad-CAM: which places of an image speak for a class."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional


@contextmanager
def caught(layer: nn.Module) -> Iterator[list[Tensor]]:
    """A list that will hold what the layer gives, as a leaf of the graph."""
    kept: list[Tensor] = []

    def catch(_module: nn.Module, _inputs: tuple, output: Tensor) -> Tensor:
        leaf = output.detach().clone().requires_grad_()
        kept.append(leaf)
        return leaf * 1

    handle = layer.register_forward_hook(catch)
    try:
        yield kept
    finally:
        handle.remove()


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    with caught(layer) as kept, torch.enable_grad():
        scores = net(images)
        (gradient,) = torch.autograd.grad(scores.take_along_dim(targets[:, None], 1).sum(), kept[0])
    features = kept[0].detach()
    weights = gradient.flatten(2).mean(2).unsqueeze(1)
    maps = (weights @ features.flatten(2)).unflatten(2, features.shape[2:]).clamp_min(0)
    maps = functional.interpolate(maps, size=images.shape[2:], mode="bilinear", align_corners=False)[:, 0]
    top = maps.amax((1, 2), keepdim=True)
    return maps / top.masked_fill(top == 0, 1)
