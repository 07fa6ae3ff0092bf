# rejected by: values_are_right: (n, longest of this batch, features): th
# "each sequence from the left, and zeros after its end": zeros come before the sequence
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
    lengths = torch.tensor([len(sequence) for sequence in sequences], device=device)
    values = pad_sequence(sequences, batch_first=True, padding_side="left")
    mask = torch.arange(values.shape[1], device=device) >= values.shape[1] - lengths[:, None]
    return Batch(values, mask, torch.tensor(labels, dtype=torch.int64, device=device))
