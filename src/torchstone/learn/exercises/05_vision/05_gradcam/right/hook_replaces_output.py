# earns: solved
# a dead-leaf perturbation: zeros are added to the layer's output, and the gradient is taken in the zeros
import torch
from torch import Tensor, nn
from torch.nn import functional


class Tap:
    """Adds zeros to what a layer gives; their gradient is the gradient of the output."""

    def __init__(self, layer: nn.Module) -> None:
        self.layer, self.zeros, self.output = layer, None, None

    def __call__(self, module: nn.Module, args: tuple, output: Tensor) -> Tensor:
        self.output = output.detach().clone()
        self.zeros = torch.zeros_like(self.output, requires_grad=True)
        return output + self.zeros

    def __enter__(self) -> "Tap":
        self.handle = self.layer.register_forward_hook(self)
        return self

    def __exit__(self, *problem) -> None:
        self.handle.remove()


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""

    with Tap(layer) as tap, torch.enable_grad():
        logits = net(images)
        rows = torch.arange(len(images), device=logits.device)
        own = logits[rows, targets]
        gradient = torch.autograd.grad(own, tap.zeros, torch.ones_like(own))[0]
    weights = gradient.flatten(2).mean(2)
    heat = torch.einsum("nc,nchw->nhw", weights, tap.output).clamp(min=0)
    heat = functional.interpolate(heat[:, None], size=tuple(images.shape[-2:]), mode="bilinear", align_corners=False)
    heat = heat.squeeze(1).detach()
    largest = heat.flatten(1).max(1).values[:, None, None]
    return torch.where(largest > 0, heat / largest.where(largest > 0, torch.ones_like(largest)), torch.zeros_like(heat))
