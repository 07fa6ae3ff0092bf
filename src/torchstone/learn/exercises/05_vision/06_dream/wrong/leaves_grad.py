# rejected by: climbs_are_right: What has gathered in .grad is the caller
# backward() leaves gradients in a net that is not frozen; 'no hook, no `.grad` and no changed `requires_grad` is left
# behind'
"""Gradient ascent in the image: what excites one channel of a network."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


class Enough(Exception):
    """Raised by the hook, with what the layer gave."""

    def __init__(self, output: Tensor) -> None:
        super().__init__()
        self.output = output


def roughness(image: Tensor) -> Tensor:
    """How much neighbouring pixels differ: the mean square downwards plus that across."""
    return torch.diff(image, dim=-2).square().mean() + torch.diff(image, dim=-1).square().mean()


def look(net: nn.Module, layer: nn.Module, image: Tensor) -> Tensor:
    def stop(_module: nn.Module, _inputs: object, output: Tensor) -> None:
        raise Enough(output)

    handle = layer.register_forward_hook(stop)
    try:
        net(image[None])
    except Enough as enough:
        return enough.output
    finally:
        handle.remove()
    raise ValueError("the net does not use this layer")


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
        image = functional.interpolate(image[None], size=(size, size), mode="bilinear", align_corners=False)[0]
        for _ in range(steps):
            with torch.enable_grad():
                point = image.detach().clone().requires_grad_()
                goal = look(net, layer, point)[:, channel].mean() - smooth * roughness(point)
                goal.backward()
                g = point.grad
            image = (image + rate * g / (g.square().mean().sqrt() + 1e-8)).clamp(0, 1)
    return image.detach().clone()
