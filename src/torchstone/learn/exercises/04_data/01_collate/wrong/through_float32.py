# rejected by: values_are_right: (n, longest of this batch, features): th
# collected in a float32 tensor and cast back: int64 16777217 and float64 0.1 change; 'Values keep the sequences'
# dtype (any ...) and are exactly theirs'
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
    longest = max(len(one) for one in sequences)
    values = torch.zeros(len(sequences), longest, sequences[0].shape[1], device=device)
    for i, one in enumerate(sequences):
        values[i, : len(one)] = one
    values = values.to(sequences[0].dtype)
    lengths = torch.tensor([len(one) for one in sequences], device=device)
    mask = torch.arange(values.shape[1], device=device) < lengths[:, None]
    return Batch(values, mask, torch.tensor(labels, device=device))
