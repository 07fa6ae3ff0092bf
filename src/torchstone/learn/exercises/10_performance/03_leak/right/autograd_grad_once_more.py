# earns: solved lean
# autograd.grad instead of backward, the hook in an ExitStack, a generator of held-out results
"""Train without holding on to what is over."""

from collections.abc import Iterable
from contextlib import ExitStack

import torch
from torch import Tensor, nn


def descend(model: nn.Sequential, x: Tensor, y: Tensor, rate: float) -> None:
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    slopes = torch.autograd.grad((model(x) - y).square().mean(), weights, allow_unused=True)
    with torch.no_grad():
        for weight, slope in zip(weights, slopes, strict=True):
            if slope is not None:
                weight.sub_(slope, alpha=rate)


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    """Train `model` in place; the losses, a moving average of the predictions, the largest value of the first layer."""
    peak = [0.0]
    result: dict[str, float | list[float]] = {"losses": [], "average": 0.0}
    for weight in model.parameters():
        weight.grad = None

    def watch(_module: nn.Module, _inputs: object, output: Tensor) -> None:
        with torch.no_grad():
            peak[0] = max(peak[0], float(torch.linalg.vector_norm(output, ord=float("inf"))))

    with ExitStack() as stack:
        stack.callback(model[0].register_forward_hook(watch).remove)
        for x, y in batches:
            descend(model, x, y, rate)
            with torch.no_grad():
                seen = model(held_out[0])
                result["losses"].append(float((seen - held_out[1]).square().mean()))
                result["average"] = 0.9 * result["average"] + 0.1 * float(seen.mean())
                del seen
    return {**result, "largest": peak[0]}
