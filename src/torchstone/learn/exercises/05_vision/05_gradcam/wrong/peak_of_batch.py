# rejected by: maps_are_right: Each map is divided by its own largest value
# divides by the largest value of the whole batch; breaks 'divide each map by its own largest value' for two images
# of different strength
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    caught: list[Tensor] = []

    def catch(module, inputs, output):
        caught.append(output.detach().requires_grad_())
        return caught[0].clone()

    handle = layer.register_forward_hook(catch)
    try:
        with torch.enable_grad():
            scores = net(images).gather(1, targets[:, None])
            (gradient,) = torch.autograd.grad(scores.sum(), caught)
    finally:
        handle.remove()
    maps = caught[0].detach()
    weights = gradient.mean((2, 3), keepdim=True)
    heat = (weights * maps).sum(1, keepdim=True).relu()
    heat = functional.interpolate(heat, images.shape[2:], mode="bilinear", align_corners=False)[:, 0]
    peak = heat.max()
    return torch.where(peak > 0, heat / peak, torch.zeros_like(heat))
