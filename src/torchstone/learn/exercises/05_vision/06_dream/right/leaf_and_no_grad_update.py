# earns: solved
# one leaf for each size, updated under no_grad; the layer's forward is watched by a pre-made hook object
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


def roughness(image: Tensor) -> Tensor:
    height, width = image.shape[1:]
    down = (image.narrow(1, 1, height - 1) - image.narrow(1, 0, height - 1)).pow(2)
    across = (image.narrow(2, 1, width - 1) - image.narrow(2, 0, width - 1)).pow(2)
    return torch.mean(down) + torch.mean(across)


class Enough(RuntimeError):
    pass


class Climber:
    def __init__(self, net: nn.Module, channel: int, smooth: float) -> None:
        self.net, self.channel, self.smooth, self.mean = net, channel, smooth, None

    def __call__(self, module: nn.Module, args: tuple, output: Tensor) -> None:
        self.mean = output.select(1, self.channel).mean()
        raise Enough

    def gradient(self, leaf: Tensor) -> Tensor:
        self.mean = None
        with torch.enable_grad():
            try:
                self.net(leaf[None])
            except Enough:
                pass
            value = self.mean - self.smooth * roughness(leaf)
            return torch.autograd.grad(value, leaf)[0]


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

    climber = Climber(net, channel, smooth)
    handle = layer.register_forward_hook(climber)
    leaf = image.detach().clone()
    try:
        for size in sizes:
            with torch.no_grad():
                leaf = functional.interpolate(leaf[None], (size, size), mode="bilinear", align_corners=False)[0].clone()
            leaf.requires_grad_()
            for _ in range(steps):
                g = climber.gradient(leaf)
                with torch.no_grad():
                    leaf += g * (rate / (g.pow(2).mean().sqrt() + 1e-8))
                    leaf.clamp_(0, 1)
            leaf = leaf.detach()
    finally:
        handle.remove()
    return leaf
