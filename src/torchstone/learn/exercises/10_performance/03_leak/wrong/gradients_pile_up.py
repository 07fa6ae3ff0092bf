# rejected by: results_are_right: the report['losses']
# 'one step p ← p − rate · gradient a batch': gradients left on the model before the call go into the first step, and
# all of them pile up
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    losses: list[float] = []
    average, largest = 0.0, 0.0

    def watch(module, inputs, output):
        nonlocal largest
        largest = max(largest, output.detach().abs().max().item())

    handle = model[0].register_forward_hook(watch)
    try:
        for x, y in batches:
            (model(x) - y).square().mean().backward()
            with torch.no_grad():
                for parameter in model.parameters():
                    if parameter.grad is not None:
                        parameter -= rate * parameter.grad
                prediction = model(held_out[0])
                losses.append((prediction - held_out[1]).square().mean().item())
                average = 0.9 * average + 0.1 * prediction.mean().item()
    finally:
        handle.remove()
        model.zero_grad(set_to_none=True)
    return {"losses": losses, "average": average, "largest": largest}
