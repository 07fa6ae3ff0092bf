# rejected by: maps_are_right or frozen_nets_work: the result of
# "Stretch it to the size of the images …, then divide each map by its own largest value": the map is divided first
# and stretched then
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    caught = []

    def catch(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        features = output.detach().requires_grad_()
        caught.append(features)
        return features.clone()

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
        largest = maps.amax(dim=(1, 2, 3), keepdim=True)
        maps = maps / torch.where(largest > 0, largest, 1.0)
        return functional.interpolate(maps, size=images.shape[-2:], mode="bilinear", align_corners=False)[:, 0]
