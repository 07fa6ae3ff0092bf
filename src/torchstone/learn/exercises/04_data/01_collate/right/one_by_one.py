# earns: solved
# each sample gets zeros behind it, then everything is stacked
"""Make one batch of sequences of different lengths."""

from typing import NamedTuple

import torch
from torch import Tensor


class Batch(NamedTuple):
    """What a training step gets."""

    values: Tensor
    mask: Tensor
    labels: Tensor


def collate(samples: list[tuple[Tensor, int]]) -> Batch:
    """Pad sequences of shape (length, features) to the longest one, and say where they are real."""
    longest = max(len(sequence) for sequence, _ in samples)
    values, masks, labels = [], [], []
    for sequence, label in samples:
        missing = longest - len(sequence)
        values.append(torch.cat([sequence, sequence.new_zeros(missing, sequence.shape[1])]))
        real = torch.zeros(longest, dtype=torch.bool, device=sequence.device)
        real[: len(sequence)] = True
        masks.append(real)
        labels.append(torch.tensor(label, dtype=torch.int64, device=sequence.device))
    return Batch(torch.stack(values), torch.stack(masks), torch.stack(labels))
