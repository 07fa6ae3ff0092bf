# rejected by: maps_are_right: Weights: the gradient of the target's score in the layer's output, averaged
# adds 1e-6 to the largest value, so faint maps never reach 1; 'divide each map by its own largest value'
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    caught = []

    def catch(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        leaf = output.detach().clone().requires_grad_()
        caught.append(leaf)
        return leaf.clone()

    handle = layer.register_forward_hook(catch)
    try:
        with torch.enable_grad():
            scores = net(images).gather(1, targets[:, None]).sum()
    finally:
        handle.remove()
    (gradient,) = torch.autograd.grad(scores, caught[0])
    weights = gradient.mean((2, 3), keepdim=True)
    maps = (weights * caught[0].detach()).sum(1, keepdim=True).relu()
    maps = functional.interpolate(maps, images.shape[-2:], mode="bilinear", align_corners=False)[:, 0]
    peak = maps.amax((1, 2), keepdim=True)
    return maps / (peak + 1e-6)
