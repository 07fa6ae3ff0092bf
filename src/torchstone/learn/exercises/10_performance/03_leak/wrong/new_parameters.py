# rejected by: results_are_right: hold these very objects
# "the model, trained in place": each step puts new parameters into the model
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    """Train `model` in place; the losses, a moving average of the predictions, the largest value of the first layer."""
    losses: list[float] = []
    average, largest = 0.0, 0.0

    def look(module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        nonlocal largest
        largest = max(largest, output.detach().abs().max().item())

    model.zero_grad()
    # Registered once: a hook for each step would be called by all later steps too.
    handle = model[0].register_forward_hook(look)
    try:
        for x, y in batches:
            (model(x) - y).square().mean().backward()
            # Nobody will ask for a gradient of the held-out loss, so no activations are kept for it.
            with torch.no_grad():
                for module in model.modules():
                    for name, parameter in list(module.named_parameters(recurse=False)):
                        setattr(module, name, nn.Parameter(parameter - rate * parameter.grad))
                prediction = model(held_out[0])
                losses.append((prediction - held_out[1]).square().mean().item())
                average = 0.9 * average + 0.1 * prediction.mean().item()
    finally:
        handle.remove()
    return {"losses": losses, "average": average, "largest": largest}
