# rejected by: nothing_is_left_behind: detach() what the layer gave
# takes A with its graph; breaks 'The maps carry no graph' for a net whose parameters learn
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    caught: list[Tensor] = []

    def catch(module, inputs, output):
        caught.append(output if output.requires_grad else output.detach().requires_grad_())
        return caught[0].clone()

    handle = layer.register_forward_hook(catch)
    try:
        with torch.enable_grad():
            scores = net(images).gather(1, targets[:, None])
            (gradient,) = torch.autograd.grad(scores.sum(), caught)
    finally:
        handle.remove()
    maps = caught[0]
    weights = gradient.mean((2, 3), keepdim=True)
    heat = (weights * maps).sum(1, keepdim=True).relu()
    heat = functional.interpolate(heat, images.shape[2:], mode="bilinear", align_corners=False)[:, 0]
    peak = heat.amax((1, 2), keepdim=True)
    return torch.where(peak > 0, heat / peak, torch.zeros_like(heat))
