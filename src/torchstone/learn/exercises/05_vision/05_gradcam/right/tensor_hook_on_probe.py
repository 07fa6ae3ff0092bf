# earns: solved
# a probe of zeros added to the layer's output, whose gradient is G
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    state = {}

    def catch(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        state["features"] = output.detach().clone()
        state["probe"] = torch.zeros_like(state["features"], requires_grad=True)
        return output.detach() + state["probe"]

    handle = layer.register_forward_hook(catch)
    try:
        with torch.enable_grad():
            scores = net(images)
            wanted = functional.one_hot(targets, scores.shape[1]).bool()
            chosen = scores.masked_select(wanted).sum()
    finally:
        handle.remove()
    features = state["features"]
    (gradient,) = torch.autograd.grad(chosen, state["probe"])
    with torch.no_grad():
        weights = gradient.mean(dim=(2, 3), keepdim=True)
        maps = torch.einsum("nchw,ncij->nhw", features, weights)[:, None].clamp_min(0)
        maps = functional.interpolate(maps, size=images.shape[-2:], mode="bilinear", align_corners=False)[:, 0]
        largest = maps.amax(dim=(1, 2), keepdim=True)
        return maps / torch.where(largest > 0, largest, 1.0)
