# rejected by: flat_places_are_harmless: The caller still needs what it handed in
# an image that has the first size already is changed in place; 'The image that you were given stays as it is'
"""Gradient ascent in the image: what excites one channel of a network."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.modules.module import register_module_forward_hook


class Reached(Exception):
    """The layer has given its output."""


def roughness(image: Tensor) -> Tensor:
    """How much neighbouring pixels differ: the mean square downwards plus that across."""
    return image.diff(dim=1).square().mean() + image.diff(dim=2).square().mean()


def response(net: nn.Module, layer: nn.Module, image: Tensor) -> Tensor:
    """What the layer gives for one image."""
    caught: list[Tensor] = []

    def catch(module: nn.Module, _: Any, output: Tensor) -> None:
        if module is layer:
            caught.append(output)
            raise Reached

    handle = register_module_forward_hook(catch)
    try:
        net(image[None])
    except Reached:
        pass
    finally:
        handle.remove()
    return caught[0]


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
    image = image.detach()
    for size in sizes:
        if image.shape[1:] != (size, size):
            image = functional.interpolate(image[None], size=(size, size), mode="bilinear", align_corners=False)[0]
        for _ in range(steps):
            with torch.enable_grad():
                image = image.detach().requires_grad_()
                goal = response(net, layer, image)[0, channel].mean() - smooth * roughness(image)
                (g,) = torch.autograd.grad(goal, image)
            image = image.detach()
            image.add_(rate * g / (g.square().mean().sqrt() + 1e-8)).clamp_(0, 1)
    return image.detach()
