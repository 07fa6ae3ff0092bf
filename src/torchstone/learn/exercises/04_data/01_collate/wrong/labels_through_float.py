# rejected by: labels_are_right: Labels are classes
# "a label a Python int', '`labels` `(n,)`, int64": labels above 2**24 are rounded on their way through float32
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
    values = pad_sequence(sequences, batch_first=True)
    lengths = torch.tensor([len(sequence) for sequence in sequences], device=device)
    mask = torch.arange(values.shape[1], device=device) < lengths[:, None]
    return Batch(values, mask, torch.Tensor(labels).long().to(device))
