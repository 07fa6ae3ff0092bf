# rejected by: values_are_right: (n, longest of this batch, features): th
# pad_sequence without batch_first gives (longest, n, features), and a reshape mixes the sequences; '`values` (n,
# longest, features): each sequence from the left' (lengths 2 and 3)
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
    values = pad_sequence(sequences).reshape(len(samples), -1, sequences[0].shape[1])
    lengths = torch.tensor([len(one) for one in sequences], device=device)
    mask = torch.arange(values.shape[1], device=device) < lengths[:, None]
    return Batch(values, mask, torch.tensor(labels, device=device))
