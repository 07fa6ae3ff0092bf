# rejected by: what_the_layer_gave_counts: The ReLU after the layer works in place and writes over
# "A: what `layer` gave": keeps the output itself, which an in-place activation behind the layer overwrites
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    caught = []

    def catch(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        if not output.requires_grad:
            output.requires_grad_()
            output = output * 1
        caught.append(output)
        return output

    handle = layer.register_forward_hook(catch)
    try:
        with torch.enable_grad():
            scores = net(images)
            chosen = scores.gather(1, targets[:, None]).sum()
    finally:
        handle.remove()
    features = caught[-1]
    (gradient,) = torch.autograd.grad(chosen, features)
    with torch.no_grad():
        weights = gradient.mean(dim=(2, 3), keepdim=True)
        maps = (weights * features).sum(dim=1, keepdim=True).relu()
        maps = functional.interpolate(maps, size=images.shape[-2:], mode="bilinear", align_corners=False)[:, 0]
        largest = maps.amax(dim=(1, 2), keepdim=True)
        return maps / torch.where(largest > 0, largest, 1.0)
