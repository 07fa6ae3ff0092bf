# rejected by: maps_are_right: What has gathered in .grad is the caller's
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    kept: list[Tensor] = []

    def cut_in(module: nn.Module, args: object, output: Tensor) -> Tensor:
        # A leaf in the middle of the net: it has a gradient even if every parameter is frozen.
        kept.append(output.detach().requires_grad_())
        return kept[-1]

    hook = layer.register_forward_hook(cut_in)
    try:
        with torch.enable_grad():
            scores = net(images).gather(1, targets[:, None]).sum()
    finally:
        hook.remove()
    # No score depends on another image, so the gradient of their sum holds each image's own.
    scores.backward()
    gradients = kept[0].grad
    weights = gradients.mean((2, 3), keepdim=True)
    maps = (weights * kept[0].detach()).sum(1, keepdim=True).relu()
    maps = functional.interpolate(maps, images.shape[2:], mode="bilinear", align_corners=False)[:, 0]
    largest = maps.amax((1, 2), keepdim=True)
    return maps / largest.masked_fill(largest == 0, 1)
