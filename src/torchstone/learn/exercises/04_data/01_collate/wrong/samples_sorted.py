# rejected by: values_are_right: The caller still needs what it handed in
# "collate(samples) gets a list": the caller's list is sorted in place, longest first, as pack_padded_sequence likes
# it
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
    samples.sort(key=lambda sample: len(sample[0]), reverse=True)
    sequences, labels = zip(*samples, strict=True)
    device = sequences[0].device
    values = pad_sequence(list(sequences), batch_first=True)
    lengths = torch.tensor([len(one) for one in sequences], device=device)
    mask = torch.arange(values.shape[1], device=device) < lengths[:, None]
    return Batch(values, mask, torch.tensor(labels, dtype=torch.int64, device=device))
