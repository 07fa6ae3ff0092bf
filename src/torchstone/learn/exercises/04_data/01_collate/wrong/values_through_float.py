# rejected by: values_are_right: (n, longest of this batch, features): th
# "Values keep the sequences' dtype": float64 and large whole numbers are rounded to float32 on the way
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
    longest = max(len(sequence) for sequence in sequences)
    values = torch.zeros(len(sequences), longest, sequences[0].shape[1], device=device)
    for row, sequence in zip(values, sequences, strict=True):
        row[: len(sequence)] = sequence
    values = values.to(sequences[0].dtype)
    lengths = torch.tensor([len(sequence) for sequence in sequences], device=device)
    mask = torch.arange(values.shape[1], device=device) < lengths[:, None]
    return Batch(values, mask, torch.tensor(labels, dtype=torch.int64, device=device))
