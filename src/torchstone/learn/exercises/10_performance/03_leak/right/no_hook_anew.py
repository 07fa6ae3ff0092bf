# earns: solved lean
# no hook at all, autograd.grad, small functions whose variables end with them
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


class _Run:
    """Walks through the layers itself, so that no hook is needed."""

    def __init__(self, model: nn.Sequential) -> None:
        self.layers = list(model)
        self.largest = 0.0

    def __call__(self, x: Tensor) -> Tensor:
        x = self.layers[0](x)
        self.largest = max(self.largest, float(x.detach().abs().amax()))
        for layer in self.layers[1:]:
            x = layer(x)
        return x


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    """Train `model` in place; the losses, a moving average of the predictions, the largest value of the first layer."""
    run = _Run(model)
    parameters = list(model.parameters())
    for parameter in parameters:
        parameter.grad = None

    def step(x: Tensor, y: Tensor) -> None:
        gradients = torch.autograd.grad((run(x) - y).square().mean(), parameters)
        with torch.no_grad():
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter -= rate * gradient

    @torch.no_grad()
    def look() -> tuple[float, float]:
        prediction = run(held_out[0])
        return float((prediction - held_out[1]).square().mean()), float(prediction.mean())

    losses, average = [], 0.0
    for x, y in batches:
        step(x, y)
        loss, mean = look()
        losses.append(loss)
        average = 0.9 * average + 0.1 * mean
    return {"losses": losses, "average": average, "largest": run.largest}
