# earns: solved
"""Make one batch of sequences of different lengths."""

from typing import NamedTuple

import torch
from torch import Tensor


class Batch(NamedTuple):
    values: Tensor
    mask: Tensor
    labels: Tensor


def collate(samples: list[tuple[Tensor, int]]) -> Batch:
    longest = max(sequence.shape[0] for sequence, _ in samples)
    values, masks, labels = [], [], []
    for sequence, label in samples:
        length, features = sequence.shape
        rest = sequence.new_zeros((longest - length, features))
        values.append(torch.cat([sequence, rest]))
        masks.append([True] * length + [False] * (longest - length))
        labels.append(label)
    where = values[0].device
    mask = torch.tensor(masks, dtype=torch.bool, device=where).reshape(len(samples), longest)
    return Batch(torch.stack(values), mask, torch.as_tensor(labels, dtype=torch.int64, device=where))
