# rejected by: roughness_is_right: the result of roughness is
# roughness takes one mean over vertical and horizontal differences together, not the sum of two means
"""Gradient ascent in the image: what excites one channel of a network."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


def roughness(image: Tensor) -> Tensor:
    """How much neighbouring pixels differ: the mean square downwards plus that across."""
    down = image[:, 1:] - image[:, :-1]
    across = image[:, :, 1:] - image[:, :, :-1]
    return 2 * torch.cat([down.flatten(), across.flatten()]).square().mean()


class _Reached(BaseException):
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

    def hook(module: nn.Module, inputs: tuple, output: Tensor) -> None:
        caught.append(output)
        raise _Reached

    handle = layer.register_forward_hook(hook)
    current = image.detach().clone()
    try:
        for size in sizes:
            current = functional.interpolate(current[None], (size, size), mode="bilinear", align_corners=False)[0]
            for _ in range(steps):
                with torch.enable_grad():
                    leaf = current.detach().requires_grad_()
                    caught.clear()
                    try:
                        net(leaf.clone()[None])
                    except _Reached:
                        pass
                    goal = caught[0][0, channel].mean() - smooth * roughness(leaf)
                    (gradient,) = torch.autograd.grad(goal, leaf)
                current = current + rate * gradient / (gradient.square().mean().sqrt() + 1e-8)
                current = current.clamp(0, 1)
    finally:
        handle.remove()
    return current
