# rejected by: climbs_are_right: What has gathered in .grad is the caller's,
# "The net is borrowed": .grad is cleaned up with zero_grad(), and the caller's own gradients with it
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


def roughness(image: Tensor) -> Tensor:
    """How much neighbouring pixels differ: the mean square downwards plus that across."""
    return image.diff(dim=1).square().mean() + image.diff(dim=2).square().mean()


class Reached(Exception):
    """The layer has run; nothing after it is needed."""


def dream(
    net: nn.Module,
    layer: nn.Module,
    channel: int,
    image: Tensor,
    sizes: Sequence[int],
    steps: int,
    rate: float,
    smooth: float,
) -> Tensor:
    """An image on which that channel of the layer is as high as `steps` steps at each size can make it."""

    caught: list[Tensor] = []

    def hook(module: nn.Module, args: tuple, output: Tensor) -> None:
        caught.append(output)
        raise Reached

    handle = layer.register_forward_hook(hook)
    try:
        current = image.detach()
        for size in sizes:
            current = functional.interpolate(current[None], (size, size), mode="bilinear", align_corners=False)[0]
            for _ in range(steps):
                point = current.detach().clone().requires_grad_()
                caught.clear()
                with torch.enable_grad():
                    try:
                        net(point[None])
                    except Reached:
                        pass
                    goal = caught[0][0, channel].mean() - smooth * roughness(point)
                    goal.backward()
                    g = point.grad
                    net.zero_grad()
                current = (point.detach() + rate * g / (g.square().mean().sqrt() + 1e-8)).clamp(0, 1)
    finally:
        handle.remove()
    return current
