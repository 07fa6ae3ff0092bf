# rejected by: roughness_is_right: the result of roughness is
# "the mean of the squared differences": one mean over both directions together
"""Gradient ascent in the image: what excites one channel of a network."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


class _Enough(Exception):
    pass


def roughness(image: Tensor) -> Tensor:
    """How much neighbouring pixels differ: the mean square downwards plus that across."""
    down, across = image.diff(dim=1).square(), image.diff(dim=2).square()
    return torch.cat([down.flatten(), across.flatten()]).mean() * 2


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

    def stop(module: nn.Module, inputs: tuple, output: Tensor) -> None:
        raise _Enough(output)

    def goal(picture: Tensor) -> Tensor:
        try:
            net(picture.unsqueeze(0))
        except _Enough as caught:
            return caught.args[0][0, channel].mean() - smooth * roughness(picture)
        raise ValueError("the layer was never called")

    picture = image.detach().clone()
    handle = layer.register_forward_hook(stop)
    try:
        for size in sizes:
            picture = functional.interpolate(picture[None], size=(size, size), mode="bilinear", align_corners=False)[0]
            for _ in range(steps):
                with torch.enable_grad():
                    leaf = picture.detach().requires_grad_()
                    (g,) = torch.autograd.grad(goal(leaf), leaf)
                picture = (picture + rate * g / (g.square().mean().sqrt() + 1e-8)).clamp(0, 1)
    finally:
        handle.remove()
    return picture.detach()
