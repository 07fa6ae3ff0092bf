# rejected by: maps_are_right: the result of gradcam is
# "targets is (n,), the class to explain in each image": the class with the largest score is explained
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    kept = []

    def catch(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        kept.append(output.detach().requires_grad_())
        return kept[0].clone()

    handle = layer.register_forward_hook(catch)
    try:
        with torch.enable_grad():
            scores = net(images)
    finally:
        handle.remove()
    features = kept[0]
    own = scores.amax(1).sum()
    (gradient,) = torch.autograd.grad(own, features)
    weights = gradient.mean((2, 3), keepdim=True)
    maps = (weights * features.detach()).sum(1, keepdim=True).relu()
    maps = functional.interpolate(maps, size=images.shape[2:], mode="bilinear", align_corners=False)[:, 0]
    top = maps.amax((1, 2), keepdim=True)
    return maps / torch.where(top > 0, top, torch.ones_like(top))
