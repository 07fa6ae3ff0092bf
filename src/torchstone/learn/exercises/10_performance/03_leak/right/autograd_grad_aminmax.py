# earns: solved lean
# torch.autograd.grad instead of .grad, aminmax in the hook
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    """Train `model` in place; the losses, a moving average of the predictions, the largest value of the first layer."""
    losses: list[float] = []
    average = largest = 0.0

    def look(module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        nonlocal largest
        largest = max(largest, *(abs(end) for end in torch.stack(output.detach().aminmax()).tolist()))

    model.zero_grad(set_to_none=True)
    handle = model[0].register_forward_hook(look)
    try:
        weights = [parameter for parameter in model.parameters() if parameter.requires_grad]
        for x, y in batches:
            slopes = torch.autograd.grad((model(x) - y).square().mean(), weights, allow_unused=True)
            with torch.no_grad():
                for weight, slope in zip(weights, slopes, strict=True):
                    if slope is not None:
                        weight.sub_(slope, alpha=rate)
                del slope, slopes
                prediction = model(held_out[0])
                losses.append(float((prediction - held_out[1]).square().mean()))
                average = 0.9 * average + 0.1 * float(prediction.mean())
    finally:
        handle.remove()
    return {"losses": losses, "average": average, "largest": largest}
