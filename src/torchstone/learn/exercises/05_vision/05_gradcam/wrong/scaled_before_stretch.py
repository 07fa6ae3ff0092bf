# rejected by: maps_are_right or frozen_nets_work: the result of
# "Stretch it to the size of the images ..., then divide each map by its own largest value": the other way round, so
# the largest is no longer 1
import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""

    caught: list[Tensor] = []

    def hook(module: nn.Module, args: tuple, output: Tensor) -> Tensor:
        caught.append(output.detach().clone().requires_grad_())
        return caught[-1].clone()

    handle = layer.register_forward_hook(hook)
    try:
        with torch.enable_grad():
            logits = net(images.detach())
            score = logits.gather(1, targets[:, None]).sum()
            (gradient,) = torch.autograd.grad(score, caught[-1])
    finally:
        handle.remove()
    maps = caught[-1].detach()
    weights = gradient.mean((2, 3), keepdim=True)
    cam = (weights * maps).sum(1, keepdim=True).relu()
    top = cam.amax((2, 3), keepdim=True)
    cam = cam / torch.where(top > 0, top, 1.0)
    return functional.interpolate(cam, images.shape[2:], mode="bilinear", align_corners=False)[:, 0]
