# rejected by: values_are_right: (n
# "each sequence from the left, and zeros after its end": the zeros stand before it
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
    values = pad_sequence(list(sequences), batch_first=True, padding_side="left")
    lengths = torch.tensor([len(one) for one in sequences], device=device)
    mask = torch.arange(values.shape[1], device=device) >= values.shape[1] - lengths[:, None]
    return Batch(values, mask, torch.tensor(labels, dtype=torch.int64, device=device))
