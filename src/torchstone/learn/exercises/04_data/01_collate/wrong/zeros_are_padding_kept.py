# rejected by: masks_are_right: The mask is true where a real step
# the mask is false where a real step happens to be all zeros
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
    longest = max(len(one) for one in sequences)
    values = sequences[0].new_zeros(len(sequences), longest, sequences[0].shape[1])
    for row, one in zip(values, sequences, strict=True):
        row[: len(one)] = one
    mask = (values != 0).any(dim=2)
    return Batch(values, mask, torch.tensor(labels, device=device))
