# rejected by: values_are_right: n, longest of this batch, features): the batch
# the batch is padded to a multiple of 8, not to the longest sequence of it
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence


class Batch(NamedTuple):
    values: Tensor
    mask: Tensor
    labels: Tensor


def collate(samples: list[tuple[Tensor, int]]) -> Batch:
    sequences, labels = zip(*samples, strict=True)
    device = sequences[0].device
    lengths = torch.tensor([len(one) for one in sequences], device=device)
    longest = -(-max(len(one) for one in sequences) // 8) * 8
    values = sequences[0].new_zeros(len(sequences), longest, sequences[0].shape[1])
    for row, one in zip(values, sequences, strict=True):
        row[: len(one)] = one
    mask = torch.arange(longest, device=device) < lengths[:, None]
    return Batch(values, mask, torch.tensor(labels, device=device))
