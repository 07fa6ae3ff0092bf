# rejected by: climbs_are_right: End the forward pass at the layer: a
# the whole net is run, also what comes after the layer, which may fail at this size
"""Gradient ascent in the image: what excites one channel of a network."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


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
    caught: list[Tensor] = []

    def hook(module: nn.Module, inputs: tuple, output: Tensor) -> None:
        caught.append(output)

    handle = layer.register_forward_hook(hook)
    current = image.detach().clone()
    try:
        for size in sizes:
            current = functional.interpolate(current[None], (size, size), mode="bilinear", align_corners=False)[0]
            for _ in range(steps):
                with torch.enable_grad():
                    leaf = current.detach().requires_grad_()
                    caught.clear()
                    net(leaf.clone()[None])
                    goal = caught[0][0, channel].mean() - smooth * roughness(leaf)
                    (gradient,) = torch.autograd.grad(goal, leaf)
                current = current + rate * gradient / (gradient.square().mean().sqrt() + 1e-8)
                current = current.clamp(0, 1)
    finally:
        handle.remove()
    return current
