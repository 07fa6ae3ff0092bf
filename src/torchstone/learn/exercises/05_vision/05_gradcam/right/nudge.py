# earns: solved
# a nudge of zeros is added to the layer's output, and its gradient is G; the handle as a context manager
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    kept: dict[str, Tensor] = {}

    def nudge(_module: nn.Module, _inputs: tuple, output: Tensor) -> Tensor:
        kept["given"] = output.detach().clone()
        kept["nudge"] = torch.zeros_like(kept["given"], requires_grad=True)
        return kept["given"] + kept["nudge"]

    with torch.enable_grad(), layer.register_forward_hook(nudge):
        logits = net(images)
        own = functional.one_hot(targets.long(), logits.shape[1]).to(logits.dtype)
        (gradient,) = torch.autograd.grad(logits, kept["nudge"], own)
    heat = torch.einsum("nc,nchw->nhw", gradient.mean(dim=(-1, -2)), kept["given"]).clamp(min=0)
    heat = functional.interpolate(heat.unsqueeze(1), size=images.shape[-2:], mode="bilinear", align_corners=False)
    heat = heat.squeeze(1)
    largest = heat.flatten(1).max(dim=1).values[:, None, None]
    return torch.where(largest > 0, heat / largest, torch.zeros_like(heat))
