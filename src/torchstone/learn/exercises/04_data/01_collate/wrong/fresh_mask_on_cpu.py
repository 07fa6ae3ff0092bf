# rejected by: on_another_device: Rows keep the order of the samples. The pretend device stands for
# the mask is made on the CPU; 'everything is where the sequences are'
"""Make one batch of sequences of different lengths."""

from typing import NamedTuple

import torch
from torch import Tensor


class Batch(NamedTuple):
    """What a training step gets."""

    values: Tensor
    mask: Tensor
    labels: Tensor


def collate(samples: list[tuple[Tensor, int]]) -> Batch:
    """Pad sequences of shape (length, features) to the longest one, and say where they are real."""
    sequences, labels = zip(*samples, strict=True)
    first = sequences[0]
    lengths = torch.tensor([len(sequence) for sequence in sequences])
    longest = max(len(sequence) for sequence in sequences)
    mask = torch.arange(longest) < lengths[:, None]
    values = first.new_zeros(len(sequences), longest, first.shape[1])
    values[mask.to(first.device)] = torch.cat(sequences)
    return Batch(values, mask, torch.tensor(labels, dtype=torch.int64, device=first.device))
