# rejected by: what_the_layer_gave_counts: The ReLU after the layer works in place and writes over
# "A: what layer gave": an in-place ReLU after the layer overwrites what was caught
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    kept = []

    def catch(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        kept.append(output)

    handle = layer.register_forward_hook(catch)
    try:
        with torch.enable_grad():
            scores = net(images.detach().clone().requires_grad_())
    finally:
        handle.remove()
    features = kept[0]
    own = scores.gather(1, targets[:, None]).sum()
    (gradient,) = torch.autograd.grad(own, features)
    weights = gradient.mean((2, 3), keepdim=True)
    maps = (weights * features.detach()).sum(1, keepdim=True).relu()
    maps = functional.interpolate(maps, size=images.shape[2:], mode="bilinear", align_corners=False)[:, 0]
    top = maps.amax((1, 2), keepdim=True)
    return maps / torch.where(top > 0, top, torch.ones_like(top))
