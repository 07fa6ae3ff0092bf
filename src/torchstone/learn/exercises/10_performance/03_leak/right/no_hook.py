# earns: solved lean
# no hook at all: model[0] is called by itself and the rest of the layers after it; torch.autograd.grad instead of
# backward
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    for parameter in model.parameters():
        parameter.grad = None
    largest = average = 0.0
    losses = []

    def run(x: Tensor) -> Tensor:
        nonlocal largest
        x = model[0](x)
        largest = max(largest, float(x.detach().abs().max()))
        for layer in model[1:]:
            x = layer(x)
        return x

    trained = [p for p in model.parameters() if p.requires_grad]
    for x, y in batches:
        loss = nn.functional.mse_loss(run(x), y)
        gradients = torch.autograd.grad(loss, trained, allow_unused=True)
        with torch.no_grad():
            for parameter, gradient in zip(trained, gradients):
                if gradient is not None:
                    parameter.sub_(gradient, alpha=rate)
            del loss, gradients
            guess = run(held_out[0])
            losses.append(float((guess - held_out[1]).pow(2).mean()))
            average = 0.9 * average + 0.1 * float(guess.mean())
    return {"losses": losses, "average": average, "largest": largest}
