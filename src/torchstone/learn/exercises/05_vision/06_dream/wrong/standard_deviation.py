# rejected by: climbs_are_right: goal = mean of the channel − smooth · roughness
# divides by g.std() instead of the root of the mean square; breaks step 3: with a gradient that is nearly the same
# everywhere the step is far too large
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
    image = image.detach().clone()
    handle = layer.register_forward_hook(_stop)
    try:
        for size in sizes:
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
                image = (image + rate * g / (g.std(correction=0) + 1e-8)).clamp(0, 1)
    finally:
        handle.remove()
    return image
