# rejected by: a_failing_net_keeps_no_hooks: remove() each hook, in a finally.
# "no hook … is left behind, even if it raises an exception": the hook stays if the net raises
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    kept = []

    def catch(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        kept.append(output.detach().requires_grad_())
        return kept[0].clone()

    handle = layer.register_forward_hook(catch)
    with torch.enable_grad():
        scores = net(images)
    handle.remove()
    features = kept[0]
    own = scores.gather(1, targets[:, None]).sum()
    (gradient,) = torch.autograd.grad(own, features)
    weights = gradient.mean((2, 3), keepdim=True)
    maps = (weights * features.detach()).sum(1, keepdim=True).relu()
    maps = functional.interpolate(maps, size=images.shape[2:], mode="bilinear", align_corners=False)[:, 0]
    top = maps.amax((1, 2), keepdim=True)
    return maps / torch.where(top > 0, top, torch.ones_like(top))
