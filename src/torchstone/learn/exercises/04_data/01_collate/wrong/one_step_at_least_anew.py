# rejected by: values_are_right: (n, longest of this batch, features): th
# a batch of empty sequences gets one step of padding; '`longest` is the longest sequence of this batch ... even all
# of them may be' empty
"""Make one batch of sequences of different lengths."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


class Batch(NamedTuple):
    """What a training step gets."""

    values: Tensor
    mask: Tensor
    labels: Tensor


def collate(samples: list[tuple[Tensor, int]]) -> Batch:
    """Pad sequences of shape (length, features) to the longest one, and say where they are real."""
    sequences, labels = zip(*samples, strict=True)
    device = sequences[0].device
    longest = max(1, *(len(one) for one in sequences)) if len(sequences) > 1 else max(1, len(sequences[0]))
    values = sequences[0].new_zeros(len(sequences), longest, sequences[0].shape[1])
    for i, one in enumerate(sequences):
        values[i, : len(one)] = one
    lengths = torch.tensor([len(one) for one in sequences], device=device)
    mask = torch.arange(values.shape[1], device=device) < lengths[:, None]
    return Batch(values, mask, torch.tensor(labels, device=device))
