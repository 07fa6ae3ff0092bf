# rejected by: what_the_layer_gave_counts: The ReLU after the layer works in place and writes over what
# an in-place ReLU after the layer overwrites what was caught; 'A: what `layer` gave'
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    caught = []

    def catch(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        output = output.clone() if output.requires_grad else output.clone().requires_grad_().clone()
        caught.append(output)
        return output

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
    return maps / torch.where(peak > 0, peak, 1)
