# rejected by: maps_are_right: Where no place speaks for the class the
# a map of zeros is divided by zero and becomes NaN instead of staying zeros
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    caught: list[Tensor] = []

    def hook(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        caught.append(output.detach().clone().requires_grad_())
        return caught[0].clone()  # what follows may work in place

    handle = layer.register_forward_hook(hook)
    try:
        with torch.enable_grad():
            scores = net(images.detach().clone())
            chosen = scores.gather(1, targets[:, None].long())
            (gradient,) = torch.autograd.grad(chosen.sum(), caught[0])
    finally:
        handle.remove()
    maps = caught[0].detach()
    weights = gradient.mean((2, 3), keepdim=True)
    heat = (weights * maps).sum(1, keepdim=True).clamp(min=0)
    heat = functional.interpolate(heat, size=images.shape[-2:], mode="bilinear", align_corners=False)[:, 0]
    top = heat.amax((1, 2), keepdim=True)
    return heat / top
