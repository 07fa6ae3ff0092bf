# rejected by: roughness_is_right: the result of roughness is
# the differences are cropped to a common shape first, so the first column has no vertical and the first row no
# horizontal ones; breaks roughness for an image that varies only there
"""Gradient ascent in the image: what excites one channel of a network."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


class Enough(BaseException):
    """Carries what the layer gave out of the net."""

    def __init__(self, output: Tensor) -> None:
        super().__init__()
        self.output = output


def roughness(image: Tensor) -> Tensor:
    """How much neighbouring pixels differ: the mean square downwards plus that across."""
    down = image[:, 1:, 1:] - image[:, :-1, 1:]
    across = image[:, 1:, 1:] - image[:, 1:, :-1]
    return (down**2).mean() + (across**2).mean()


@torch.no_grad()
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

    def leave(module, inputs, output):
        raise Enough(output)

    def goal(picture: Tensor) -> Tensor:
        handle = layer.register_forward_hook(leave)
        try:
            net(picture.unsqueeze(0))
        except Enough as enough:
            maps = enough.output
        finally:
            handle.remove()
        return maps[0, channel].mean() - smooth * roughness(picture)

    climb = torch.func.grad(goal)
    picture = image.detach()
    for size in sizes:
        picture = functional.interpolate(picture.unsqueeze(0), size=(size, size), mode="bilinear", align_corners=False)
        picture = picture.squeeze(0)
        for _ in range(steps):
            g = climb(picture)
            scale = rate / ((g * g).mean() ** 0.5 + 1e-8)
            picture = (picture + scale * g).clamp(0.0, 1.0)
    return picture.clone()
