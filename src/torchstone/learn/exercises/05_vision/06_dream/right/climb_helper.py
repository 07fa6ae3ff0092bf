# earns: solved
# a context manager that ends the forward pass, diff, enable_grad and a helper for one step
"""Gradient ascent in the image: what excites one channel of a network."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


class _Done(Exception):
    def __init__(self, output: Tensor) -> None:
        super().__init__()
        self.output = output


def roughness(image: Tensor) -> Tensor:
    """How much neighbouring pixels differ: the mean square downwards plus that across."""
    return sum(torch.diff(image, dim=axis).pow(2).mean() for axis in (-2, -1))


def _output(net: nn.Module, layer: nn.Module, batch: Tensor) -> Tensor:
    def end(module: nn.Module, inputs: tuple, output: Tensor) -> None:
        raise _Done(output)

    handle = layer.register_forward_hook(end)
    try:
        net(batch)
    except _Done as done:
        return done.output
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
    current = image.detach().clone()
    for size in sizes:
        current = functional.interpolate(
            current.unsqueeze(0), size=(size, size), mode="bilinear", align_corners=False
        ).squeeze(0)
        for _ in range(steps):
            with torch.enable_grad():
                leaf = current.clone().requires_grad_()
                excited = _output(net, layer, leaf.unsqueeze(0).clone())[0, channel].mean()
                (g,) = torch.autograd.grad(excited - smooth * roughness(leaf), [leaf])
            length = g.pow(2).mean().sqrt() + 1e-8
            current = torch.clamp(current + rate * (g / length), 0, 1)
    return current
