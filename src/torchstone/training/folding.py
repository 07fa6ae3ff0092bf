"""Frozen batch norm computed inside the convolution before it: the same function, with half the memory traffic.

With frozen statistics batch norm is `scale · x + shift` for each channel, so `norm(convolve(x, w))` is
`convolve(x, scale · w) + shift`. The scaled weights are computed anew at each step from the trained ones, and autograd
goes through that product: weights, gammas and betas get the gradients that they would get otherwise, up to rounding.
What is saved is a pass over the activations forward and two backward, which is most of a small network's time.

Parameters and buffers keep their places and names, so a checkpoint does not know of it.
"""

from collections.abc import Callable

import torch
from torch import Tensor, fx, nn


def fold_frozen_batch_norms(model: nn.Module) -> int:
    """Fold every batch norm that follows a convolution; gives how many. A model that can't be traced is left alone."""
    pairs = _find_pairs(model)
    for convolution, norm in pairs:
        # On the instance, not the class: a subclass that pads first comes here too.
        setattr(convolution, "_conv_forward", _folded(convolution, norm))  # noqa: B010 - mypy knows it as a method
        setattr(norm, "forward", _pass_on)  # noqa: B010
    return len(pairs)


class _LayerTracer(fx.Tracer):
    """Looks into no convolution, whatever class of it a model defines."""

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return isinstance(m, nn.Conv2d) or super().is_leaf_module(m, module_qualified_name)


def _find_pairs(model: nn.Module) -> list[tuple[nn.Conv2d, nn.BatchNorm2d]]:
    """Convolutions whose output goes to a batch norm and nowhere else, each layer called once."""
    if not any(isinstance(layer, nn.BatchNorm2d) for layer in model.modules()):
        return []
    try:
        graph = _LayerTracer().trace(model)
    except Exception:  # a person's model may do anything that tracing does not bear
        return []
    layers = dict(model.named_modules())
    calls = [node for node in graph.nodes if node.op == "call_module"]
    targets = [node.target for node in calls]
    found = []
    for node in calls:
        norm, source = layers[str(node.target)], node.args[0] if node.args else None
        if not isinstance(norm, nn.BatchNorm2d) or not isinstance(source, fx.Node) or source.op != "call_module":
            continue
        convolution = layers[str(source.target)]
        alone = len(source.users) == 1 and targets.count(node.target) == targets.count(source.target) == 1
        if isinstance(convolution, nn.Conv2d) and alone and _can_fold(convolution, norm):
            found.append((convolution, norm))
    return found


def _can_fold(convolution: nn.Conv2d, norm: nn.BatchNorm2d) -> bool:
    return convolution.bias is None and bool(norm.affine) and norm.running_mean is not None and not norm.training


def _folded(convolution: nn.Conv2d, norm: nn.BatchNorm2d) -> Callable[[Tensor, Tensor, Tensor | None], Tensor]:
    compute = convolution._conv_forward

    def forward(images: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        mean, variance = _statistics(norm)
        scale = norm.weight * torch.rsqrt(variance + norm.eps)
        folded: Tensor = compute(images, weight * scale[:, None, None, None], norm.bias - mean * scale)
        return folded

    return forward


def _statistics(norm: nn.BatchNorm2d) -> tuple[Tensor, Tensor]:
    """Looked up at each call: loading weights may put other tensors in their place."""
    if norm.running_mean is None or norm.running_var is None:
        raise TypeError("a batch norm without statistics cannot be folded")
    return norm.running_mean, norm.running_var


def _pass_on(images: Tensor) -> Tensor:
    return images
