# rejected by: float64_stays_float64: Losses and gradients add up in the dtype of the net: a float32 on the way is
# the parts' losses are rounded to float32 on the way; 'gradients, loss and norm equal to those of the whole batch at
# once'
"""The gradient of a large batch, part by part, with clipping."""

import torch
from torch import Tensor, nn
from torch.nn import functional

IGNORED = -100
"""The label that cross_entropy does not count."""


def accumulate(net: nn.Module, inputs: Tensor, labels: Tensor, part: int, limit: float) -> tuple[Tensor, Tensor]:
    """Leave the clipped gradient of the whole batch in `.grad`; returns the mean loss and the norm before clipping."""
    net.zero_grad()
    # Known before the first part: dividing each part's sum by it makes the parts add up to the mean of the batch.
    counted = (labels != IGNORED).sum()
    total = torch.zeros((), dtype=inputs.dtype, device=inputs.device)
    for some_inputs, some_labels in zip(inputs.split(part), labels.split(part), strict=True):
        loss = functional.cross_entropy(net(some_inputs), some_labels, reduction="sum", ignore_index=IGNORED) / counted
        # backward frees the part's graph; detach keeps the sum of losses from holding on to it.
        loss.backward()
        total += loss.detach().float()
    return total, nn.utils.clip_grad_norm_(net.parameters(), limit)
