# earns: solved
# a zero that needs a gradient is added to the layer's output; einsum
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    kept = []

    def catch(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        nudge = torch.zeros_like(output, requires_grad=True)
        kept.extend((output.detach().clone(), nudge))
        return output + nudge

    handle = layer.register_forward_hook(catch)
    try:
        with torch.enable_grad():
            scores = net(images)
    finally:
        handle.remove()
    features, nudge = kept
    own = scores[torch.arange(len(targets), device=scores.device), targets]
    (gradient,) = torch.autograd.grad(own, nudge, torch.ones_like(own))
    maps = torch.einsum("nc,nchw->nhw", gradient.mean((2, 3)), features).clamp(min=0).unsqueeze(1)
    maps = functional.interpolate(maps, size=images.shape[2:], mode="bilinear", align_corners=False)[:, 0]
    top = maps.amax((1, 2), keepdim=True)
    return maps / torch.where(top > 0, top, torch.ones_like(top))
