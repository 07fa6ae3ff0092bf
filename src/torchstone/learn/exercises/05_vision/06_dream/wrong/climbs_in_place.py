# rejected by: flat_places_are_harmless: The caller still needs what it handed in
# skips the stretching where the image has the size already and then climbs in place in the caller's tensor; breaks
# 'The image that you were given stays as it is' with an 8 x 8 image and sizes (8,)
"""Gradient ascent in the image: what excites one channel of a network."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


class _Reached(Exception):
    pass


def roughness(image: Tensor) -> Tensor:
    """How much neighbouring pixels differ: the mean square downwards plus that across."""
    return image.diff(dim=1).square().mean() + image.diff(dim=2).square().mean()


def _stop(module: nn.Module, inputs: tuple, output: Tensor) -> None:
    raise _Reached(output)


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
    handle = layer.register_forward_hook(_stop)
    try:
        for size in sizes:
            if image.shape[1:] != (size, size):
                image = functional.interpolate(image[None], (size, size), mode="bilinear", align_corners=False)[0]
            for _ in range(steps):
                with torch.enable_grad():
                    leaf = image.clone().requires_grad_()
                    try:
                        net(leaf[None])
                    except _Reached as reached:
                        (output,) = reached.args
                    goal = output[0, channel].mean() - smooth * roughness(leaf)
                    (g,) = torch.autograd.grad(goal, leaf)
                image.add_(rate * g / (g.square().mean().sqrt() + 1e-8)).clamp_(0, 1)
    finally:
        handle.remove()
    return image
