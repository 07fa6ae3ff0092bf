# earns: solved
# a context manager, vjp-free gradient by torch.func.grad, in-place arithmetic on its own copy
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional
from contextlib import contextmanager


def roughness(image: Tensor) -> Tensor:
    down = image[:, 1:, :] - image[:, :-1, :]
    across = image[:, :, 1:] - image[:, :, :-1]
    return (down * down).mean() + (across * across).mean()


class Stop(BaseException):
    def __init__(self, output: Tensor) -> None:
        self.output = output


@contextmanager
def stopping(layer: nn.Module):
    def stop(module: nn.Module, args: tuple, output: Tensor) -> None:
        raise Stop(output)

    handle = layer.register_forward_hook(stop)
    try:
        yield
    finally:
        handle.remove()


def output_of(net: nn.Module, batch: Tensor) -> Tensor:
    try:
        net(batch)
    except Stop as stop:
        return stop.output
    raise RuntimeError("the layer was not reached")


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

    def goal(picture: Tensor) -> Tensor:
        excited = output_of(net, picture.unsqueeze(0))[0, channel].mean()
        return excited - smooth * roughness(picture)

    picture = image.detach().clone()
    with stopping(layer), torch.enable_grad():
        for size in sizes:
            picture = functional.interpolate(
                picture.unsqueeze(0), size=(size, size), mode="bilinear", align_corners=False
            ).squeeze(0)
            for _ in range(steps):
                place = picture.detach().requires_grad_(True)
                g = torch.autograd.grad(goal(place), place)[0]
                scale = rate / (torch.sqrt(torch.mean(g**2)) + 1e-8)
                picture = torch.clamp(place.detach() + scale * g, min=0.0, max=1.0)
    return picture.detach()
