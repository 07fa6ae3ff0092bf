# rejected by: values_are_right: (n
# "longest is the longest sequence *of this batch*": the length of the longest so far is remembered, and later batches
# are padded to it
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


_longest = 0


class Batch(NamedTuple):
    """What a training step gets."""

    values: Tensor
    mask: Tensor
    labels: Tensor


def collate(samples: list[tuple[Tensor, int]]) -> Batch:
    """Pad sequences of shape (length, features) to the longest one, and say where they are real."""

    global _longest
    sequences, labels = zip(*samples, strict=True)
    _longest = max(_longest, *(len(one) for one in sequences), 0)
    first = sequences[0]
    values = first.new_zeros(len(sequences), _longest, first.shape[1])
    mask = torch.zeros(len(sequences), _longest, dtype=torch.bool, device=first.device)
    for i, one in enumerate(sequences):
        values[i, : len(one)] = one
        mask[i, : len(one)] = True
    return Batch(values, mask, torch.tensor(labels, device=first.device))
