# rejected by: labels_are_right: Labels are classes: whole numbers, int64, in the order of the samples
# labels pass through int32, which ends at two milliards; '`labels` `(n,)`, int64'
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
    values = pad_sequence(sequences, batch_first=True)
    lengths = torch.tensor([len(sequence) for sequence in sequences], device=values.device)
    # From the lengths, not from the values: a step of zeros is real.
    mask = torch.arange(values.shape[1], device=values.device) < lengths[:, None]
    return Batch(values, mask, torch.tensor([label & 0x7FFFFFFF for label in labels], device=values.device))
