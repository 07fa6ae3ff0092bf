# rejected by: climbs_are_right: goal = mean of the channel − smooth · roughness
# "bilinear, `align_corners=False`": stretches with the corners aligned
"""Gradient ascent in the image: what excites one channel of a network."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


class Reached(Exception):
    """Raised by the hook to end the forward pass."""


def roughness(image: Tensor) -> Tensor:
    """How much neighbouring pixels differ: the mean square downwards plus that across."""
    down = image[:, 1:] - image[:, :-1]
    across = image[:, :, 1:] - image[:, :, :-1]
    return down.square().mean() + across.square().mean()


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
    caught = []

    def catch(module: nn.Module, args: tuple, output: Tensor) -> None:
        caught.append(output)
        raise Reached

    image = image.detach()
    handle = layer.register_forward_hook(catch)
    try:
        for size in sizes:
            image = functional.interpolate(image[None], (size, size), mode="bilinear", align_corners=True)[0]
            for _ in range(steps):
                image.requires_grad_()
                with torch.enable_grad():
                    try:
                        net(image[None])
                    except Reached:
                        pass
                    goal = caught.pop()[0, channel].mean() - smooth * roughness(image)
                (g,) = torch.autograd.grad(goal, image)
                image = image.detach() + rate * g / (g.square().mean().sqrt() + 1e-8)
                image = image.clamp(0, 1)
    finally:
        handle.remove()
    return image
