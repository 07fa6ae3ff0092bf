# rejected by: results_are_right: the report['largest'] is
# 'the largest absolute value that came out of `model[0]` at any time': the hook is off while the held-out data is
# looked at
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

    for x, y in batches:
        model.zero_grad(set_to_none=True)
        handle = model[0].register_forward_hook(watch)
        loss = (model(x) - y).square().mean()
        handle.remove()
        loss.backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= rate * parameter.grad
            prediction = model(held_out[0])
            losses.append((prediction - held_out[1]).square().mean().item())
            average = 0.9 * average + 0.1 * prediction.mean().item()
    model.zero_grad(set_to_none=True)
    return {"losses": losses, "average": average, "largest": largest}
