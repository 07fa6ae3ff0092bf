# rejected by: nothing_outlives_its_step: A tensor with a grad_fn keeps its graph alive
# 'no empty_cache and no gc.collect helps: the program itself holds on to things': the starter with a gc.collect in
# each step
"""Train without holding on to what is over."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
import gc


def fit(
    model: nn.Sequential, batches: Iterable[tuple[Tensor, Tensor]], held_out: tuple[Tensor, Tensor], rate: float
) -> dict[str, float | list[float]]:
    losses, outputs = [], []
    average = 0.0
    handle = model[0].register_forward_hook(lambda module, inputs, output: outputs.append(output))
    for x, y in batches:
        (model(x) - y).square().mean().backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= rate * parameter.grad
                parameter.grad = None
        prediction = model(held_out[0])
        losses.append((prediction - held_out[1]).square().mean())
        average = 0.9 * average + 0.1 * prediction.mean()
        gc.collect()
    handle.remove()
    largest = max(float(output.abs().max()) for output in outputs)
    return {"losses": [float(loss) for loss in losses], "average": float(average), "largest": largest}
