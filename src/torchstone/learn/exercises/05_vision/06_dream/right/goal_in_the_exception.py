# earns: solved
# the exception carries the layer's output; backward with inputs= reaches the image alone
"""Gradient ascent in the image: what excites one channel of a network."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


class Reached(Exception):
    """Raised by the hook to end the forward pass."""


def roughness(image: Tensor) -> Tensor:
    """How much neighbouring pixels differ: the mean square downwards plus that across."""
    return sum(image.diff(dim=axis).pow(2).mean() for axis in (-2, -1))


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

    def stop(module: nn.Module, args: tuple, output: Tensor) -> None:
        raise Reached(output)

    def excitement(leaf: Tensor) -> Tensor:
        handle = layer.register_forward_hook(stop)
        try:
            net(leaf.unsqueeze(0))
        except Reached as reached:
            return reached.args[0][0, channel].mean()
        finally:
            handle.remove()

    current = image.detach().clone()
    for size in sizes:
        current = functional.interpolate(current.unsqueeze(0), size=size, mode="bilinear", align_corners=False).squeeze(
            0
        )
        for _ in range(steps):
            leaf = current.clone().requires_grad_(True)
            with torch.enable_grad():
                torch.sub(excitement(leaf), roughness(leaf), alpha=smooth).backward(inputs=[leaf])
            g = leaf.grad
            current = torch.clamp(current + g * (rate / (g.pow(2).mean().sqrt() + 1e-8)), min=0, max=1)
    return current
