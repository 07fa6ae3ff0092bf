# rejected by: labels_are_right: Labels are classes: whole numbers, int64, in the order of the samples
# labels go through the dtype of the sequences and lose large numbers; '`labels` `(n,)`, int64' (a label a Python int)
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
    sequences, labels = zip(*samples, strict=True)
    first = sequences[0]
    lengths = torch.tensor([len(sequence) for sequence in sequences], device=first.device)
    longest = max(len(sequence) for sequence in sequences)
    mask = torch.arange(longest, device=first.device) < lengths[:, None]
    values = first.new_zeros(len(sequences), longest, first.shape[1])
    values[mask] = torch.cat(sequences)
    return Batch(values, mask, first.new_tensor(labels).long())
