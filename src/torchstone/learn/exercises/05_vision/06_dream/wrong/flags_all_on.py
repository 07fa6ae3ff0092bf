# rejected by: nothing_is_left_behind: grad is the caller's flag: detach() gives a
# the parameters are frozen for the climb and all switched on afterwards, so a frozen net comes back unfrozen
"""Gradient ascent in the image: what excites one channel of a network."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


def roughness(image: Tensor) -> Tensor:
    """How much neighbouring pixels differ: the mean square downwards plus that across."""
    return sum(image.diff(dim=axis).pow(2).mean() for axis in (-2, -1))


class _Stop(Exception):
    def __init__(self, output: Tensor) -> None:
        super().__init__("the layer is reached")
        self.output = output


def _stop(module: nn.Module, inputs: tuple, output: Tensor) -> None:
    raise _Stop(output)


def _upto(net: nn.Module, layer: nn.Module, batch: Tensor) -> Tensor:
    """What the layer gives for this batch; nothing after it is run."""
    handle = layer.register_forward_hook(_stop)
    try:
        net(batch)
    except _Stop as stop:
        return stop.output
    finally:
        handle.remove()
    raise ValueError("the net does not run this layer")


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
    x = image.detach().unsqueeze(0)
    net.requires_grad_(False)
    for size in sizes:
        x = functional.interpolate(x, size=[size, size], mode="bilinear", align_corners=False)
        for _ in range(steps):
            x = x.detach().clone().requires_grad_()
            with torch.enable_grad():
                goal = _upto(net, layer, x * 1).select(1, channel).mean() - smooth * roughness(x[0])
                goal.backward(inputs=[x])
            g = x.grad
            with torch.no_grad():
                x = torch.clamp(x + g * (rate / (g.pow(2).mean().sqrt() + 1e-8)), 0.0, 1.0)
    net.requires_grad_(True)
    return x[0].detach().clone()
