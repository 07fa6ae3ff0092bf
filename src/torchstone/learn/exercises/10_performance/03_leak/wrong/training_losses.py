# rejected by: results_are_right: the report['losses'][0] is
# 'the loss on the held-out pair (x, y) after each step': the loss on the batch before the step is noted instead
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    losses, average, largest = [], 0.0, 0.0

    def watch(module, inputs, output):
        nonlocal largest
        largest = max(largest, output.detach().abs().max().item())

    handle = model[0].register_forward_hook(watch)
    for x, y in batches:
        model.zero_grad(set_to_none=True)
        loss = (model(x) - y).square().mean()
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= rate * parameter.grad
            average = 0.9 * average + 0.1 * model(held_out[0]).mean().item()
    handle.remove()
    model.zero_grad(set_to_none=True)
    return {"losses": losses, "average": average, "largest": largest}
