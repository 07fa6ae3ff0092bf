# rejected by: maps_are_right: Weights: the gradient of the target
# negative values are cut off after the stretching; promised: "3. ... what is negative in it becomes 0. 4. Stretch it"
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    caught: list[Tensor] = []

    def catch(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        caught[:] = [output.detach().clone().requires_grad_()]
        return caught[0].clone()  # what follows may work in place

    handle = layer.register_forward_hook(catch)
    try:
        with torch.enable_grad():
            scores = net(images)
            chosen = scores.gather(1, targets.unsqueeze(1)).sum()
    finally:
        handle.remove()
    (gradient,) = torch.autograd.grad(chosen, caught)
    maps = caught[0].detach()
    cam = torch.einsum("nc,nchw->nhw", gradient.mean((2, 3)), maps)
    cam = functional.interpolate(cam.unsqueeze(1), size=images.shape[2:], mode="bilinear", align_corners=False)[
        :, 0
    ].clamp(min=0)
    peak = cam.amax((1, 2), keepdim=True)
    return torch.where(peak > 0, cam / peak, torch.zeros_like(cam))
