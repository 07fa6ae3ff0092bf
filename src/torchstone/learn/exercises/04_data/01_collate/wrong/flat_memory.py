# rejected by: values_are_right: (n
# "right for every mix of lengths, dtypes and strides": rows are read from memory as if every sequence were contiguous
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
    first, longest = sequences[0], max(map(len, sequences))
    values = first.new_zeros(len(sequences), longest, first.shape[1])
    mask = torch.zeros(values.shape[:2], dtype=torch.bool, device=first.device)
    for row, real, one in zip(values, mask, sequences):
        flat = one.as_strided((one.numel(),), (1,))
        row.view(-1)[: one.numel()] = flat
        real[: len(one)] = True
    return Batch(values, mask, torch.tensor(labels, device=first.device))
