"""Grad-CAM: which places of an image speak for a class (Selvaraju et al. 2017).

The last map of a network still knows where things are, and knows already what they are. Each of its channels is
weighed by its mean gradient of the class's score; the weighted sum, without what speaks against the class, says where
the evidence lies. It does not say why, and its places are as coarse as the map: some 30 pixels in most networks.

The layer is found by watching a call. Networks that turn an image into tokens (ViT), or mix all pixels at once, have
no such map, and get a reason instead. Nothing of the model is changed: gradients are asked for, not accumulated.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.modules.conv import _ConvNd

from torchstone.training.classifier import logits_of

MAP_DIMENSIONS, TOKEN_DIMENSIONS = 4, 3


class NoMapError(Exception):
    """The network has no map of the image that could be weighed; the message says why."""


@dataclass
class _Watched:
    """What the layers gave in one call."""

    images: int
    last_map: Tensor | None = None
    has_convolved: bool = False
    found_tokens: bool = False
    """Whether a row of tokens came after the last map: places were mixed since."""

    def see(self, layer: nn.Module, _: Any, output: Any) -> None:
        """Called after each layer. Before the first convolution there are only pixels."""
        self.has_convolved = self.has_convolved or isinstance(layer, _ConvNd)
        if not isinstance(output, Tensor) or output.shape[:1] != (self.images,) or not output.is_floating_point():
            return
        if output.dim() == TOKEN_DIMENSIONS:
            # A layer that learns: merely flattening a map before it is averaged mixes nothing.
            self.found_tokens = self.found_tokens or any(True for _ in layer.parameters(recurse=False))
        elif output.dim() == MAP_DIMENSIONS and output.shape[-2] * output.shape[-1] > 1 and self.has_convolved:
            self.last_map, self.found_tokens = output, False


@dataclass(frozen=True)
class Evidence:
    """Where the evidence for one class lies, for each image: (N, height, width) on the CPU, from 0 to 1."""

    maps: Tensor
    grid: tuple[int, int]
    """How many rows and columns the network's own map has: no finer place is known."""


def find_evidence(model: nn.Module, images: Tensor, classes: Tensor) -> Evidence:
    """The evidence in each of the images for the class of that number; raises `NoMapError`."""
    with evaluating(model), torch.enable_grad(), _watching(model, len(images)) as watched:
        # Frozen layers give no gradient by themselves; a copy may be changed in place, a leaf may not.
        logits = logits_of(model(images.detach().requires_grad_(True).clone()))
        last_map = _require_map(watched)
        scores = logits.gather(1, classes.to(logits.device)[:, None]).sum()
        (gradient,) = torch.autograd.grad(scores, [last_map], allow_unused=True)
    if gradient is None:
        raise NoMapError("the last map of this network has no influence on its answer")
    rows, columns = last_map.shape[-2:]
    return Evidence(_spread(weigh(last_map, gradient), images.shape[-2:]), (rows, columns))


def weigh(last_map: Tensor, gradient: Tensor) -> Tensor:
    """Channels weighed by their mean gradient and summed; what speaks against the class counts nothing."""
    # On the CPU, because an out-of-tree device may lack an operator, and in at least float32.
    activations, slopes = (tensor.detach().cpu().float() for tensor in (last_map, gradient))
    weights = slopes.mean(dim=(2, 3), keepdim=True)
    return (weights * activations).sum(dim=1).clamp(min=0)


def _spread(maps: Tensor, size: tuple[int, ...]) -> Tensor:
    """Over the image, with the strongest place of each image at 1; an image without evidence stays at 0."""
    wide = functional.interpolate(maps[:, None], size=size, mode="bilinear", align_corners=False)[:, 0]
    strongest = wide.amax(dim=(1, 2), keepdim=True)
    return torch.where(strongest > 0, wide / strongest, torch.zeros_like(wide))


def _require_map(watched: _Watched) -> Tensor:
    if watched.last_map is None:
        raise NoMapError("this network has no convolution whose output still has places")
    if watched.found_tokens:
        raise NoMapError("this network turns the image into a row of tokens, which mix all places")
    return watched.last_map


@contextmanager
def _watching(model: nn.Module, images: int) -> Iterator[_Watched]:
    watched = _Watched(images)
    hooks = [layer.register_forward_hook(watched.see) for layer in model.modules()]
    try:
        yield watched
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Each layer is put back as it was: some may train while others don't."""
    were_training = [layer for layer in model.modules() if layer.training]
    model.eval()
    try:
        yield
    finally:
        for layer in were_training:
            layer.training = True
