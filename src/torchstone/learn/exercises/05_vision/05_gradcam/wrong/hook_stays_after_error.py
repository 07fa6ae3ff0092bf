# rejected by: a_failing_net_keeps_no_hooks: remove() each hook, in a finally
# the hook stays if the forward pass fails (a target that no class has); 'no hook and no `.grad` is left behind'
"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    caught = []

    def catch(module: nn.Module, inputs: tuple, output: Tensor) -> Tensor:
        leaf = output.detach().clone().requires_grad_()
        caught.append(leaf)
        return leaf.clone()

    handle = layer.register_forward_hook(catch)
    with torch.enable_grad():
        scores = net(images).gather(1, targets[:, None]).sum()
    handle.remove()
    (gradient,) = torch.autograd.grad(scores, caught[0])
    weights = gradient.mean((2, 3), keepdim=True)
    maps = (weights * caught[0].detach()).sum(1, keepdim=True).relu()
    maps = functional.interpolate(maps, images.shape[-2:], mode="bilinear", align_corners=False)[:, 0]
    peak = maps.amax((1, 2), keepdim=True)
    return maps / torch.where(peak > 0, peak, 1)
