# earns: solved
# a global forward hook that waits for the layer, and a generator of sizes
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
    result: list[Tensor] = []

    def watch(module: nn.Module, args: tuple, output: Tensor) -> None:
        if module is layer:
            result[:] = [output]
            raise Reached

    def gradient(image: Tensor) -> Tensor:
        image = image.detach().requires_grad_()
        with torch.enable_grad():
            try:
                net(image[None])
            except Reached:
                goal = result.pop()[:, channel].mean() - smooth * roughness(image)
        return torch.autograd.grad(goal, image)[0]

    image = image.detach()
    handle = nn.modules.module.register_module_forward_hook(watch)
    try:
        for size in sizes:
            image = functional.interpolate(image[None], (size, size), mode="bilinear", align_corners=False)[0]
            for _ in range(steps):
                g = gradient(image)
                image = (image + rate * g / ((g * g).mean() ** 0.5 + 1e-8)).clamp_(0, 1)
    finally:
        handle.remove()
    return image
