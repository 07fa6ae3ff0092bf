# earns: solved lean
# torch's SGD, and a callable object as the hook
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn


class Watcher:
    """Remembers one number."""

    def __init__(self) -> None:
        self.largest = 0.0

    def __call__(self, module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        low, high = output.detach().aminmax()
        self.largest = max(self.largest, -low.item(), high.item())


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    """Train `model` in place; the losses, a moving average of the predictions, the largest value of the first layer."""
    optimizer = torch.optim.SGD(model.parameters(), lr=rate, foreach=False)
    watcher = Watcher()
    handle = model[0].register_forward_hook(watcher)
    losses: list[float] = []
    average = 0.0
    try:
        for x, y in batches:
            model.zero_grad(set_to_none=True)
            torch.mean((model(x) - y) ** 2).backward()
            optimizer.step()
            model.zero_grad(set_to_none=True)
            with torch.no_grad():
                prediction = model(held_out[0])
                losses += [torch.mean((prediction - held_out[1]) ** 2).item()]
                average += 0.1 * (prediction.mean().item() - average)
    finally:
        handle.remove()
    return {"losses": losses, "average": average, "largest": watcher.largest}
