# rejected by: nothing_is_left_on_the_model: A hook stays until its handle is removed
# 'afterwards no hooks are left on the model': a new hook for each batch, and only the last one is removed
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    losses, average, largest = [], 0.0, [0.0]
    handle = None
    for x, y in batches:
        handle = model[0].register_forward_hook(
            lambda module, inputs, output: largest.append(max(largest.pop(), output.detach().abs().max().item()))
        )
        model.zero_grad(set_to_none=True)
        (model(x) - y).square().mean().backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= rate * parameter.grad
            prediction = model(held_out[0])
            losses.append((prediction - held_out[1]).square().mean().item())
            average = 0.9 * average + 0.1 * prediction.mean().item()
    if handle is not None:
        handle.remove()
    model.zero_grad(set_to_none=True)
    return {"losses": losses, "average": average, "largest": largest[0]}
