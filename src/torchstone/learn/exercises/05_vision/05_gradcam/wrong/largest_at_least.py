# rejected by: maps_are_right: Weights: the gradient of the target's score in the layer's output, averaged
# the largest value counts as 1e-8 at least; 'divide each map by its own largest value'
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
        # A clone goes on: a ReLU that works in place would write over what the layer gave.
        return kept[-1].clone()

    hook = layer.register_forward_hook(cut_in)
    try:
        with torch.enable_grad():
            scores = net(images).gather(1, targets[:, None]).sum()
    finally:
        hook.remove()
    # No score depends on another image, so the gradient of their sum holds each image's own.
    (gradients,) = torch.autograd.grad(scores, kept[0])
    weights = gradients.mean((2, 3), keepdim=True)
    maps = (weights * kept[0].detach()).sum(1, keepdim=True).relu()
    maps = functional.interpolate(maps, images.shape[2:], mode="bilinear", align_corners=False)[:, 0]
    largest = maps.amax((1, 2), keepdim=True)
    return maps / largest.clamp(min=1e-8)
