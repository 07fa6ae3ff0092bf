# earns: solved
# a context manager that taps the layer, backward(inputs=...) and an einsum
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


class Tap:
    """Keeps a copy of what a module gives, and lets the rest of the net depend on that copy."""

    def __init__(self, module: nn.Module) -> None:
        self.module = module

    def __enter__(self) -> "Tap":
        self.handle = self.module.register_forward_hook(self.hook)
        return self

    def __exit__(self, *error: object) -> None:
        self.handle.remove()

    def hook(self, module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        self.maps = output.detach().clone().requires_grad_(True)
        return self.maps * 1


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    with torch.enable_grad(), Tap(layer) as tap:
        logits = net(images)
        logits[torch.arange(len(images), device=logits.device), targets].sum().backward(inputs=[tap.maps])
    maps, slope = tap.maps.detach(), tap.maps.grad
    heat = torch.einsum("nc,nchw->nhw", slope.flatten(2).mean(2), maps).clamp(min=0)
    heat = functional.interpolate(heat.unsqueeze(1), size=images.shape[-2:], mode="bilinear", align_corners=False)
    heat = heat.squeeze(1)
    for one in heat:
        if one.max() > 0:
            one.div_(one.max())
    return heat
