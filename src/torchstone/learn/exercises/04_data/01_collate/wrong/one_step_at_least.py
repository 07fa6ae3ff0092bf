# rejected by: values_are_right: (n, longest of this batch, features): the batch comes first; each sequence
# a batch of empty sequences gets one step; '`longest` is the longest sequence *of this batch*. A sequence may be
# empty, even all of them may be.'
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
    longest = max(1, *(len(sequence) for sequence in sequences))
    mask = torch.arange(longest, device=first.device) < lengths[:, None]
    values = first.new_zeros(len(sequences), longest, first.shape[1])
    values[mask] = torch.cat(sequences)
    return Batch(values, mask, torch.tensor(labels, dtype=torch.int64, device=first.device))
