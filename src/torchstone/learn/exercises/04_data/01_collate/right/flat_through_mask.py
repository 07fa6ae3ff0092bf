# earns: solved
# all steps one after the other, written through the mask at once
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
    steps = torch.arange(max(lengths), device=device).expand(len(lengths), -1)
    mask = steps < torch.tensor(lengths, device=device).unsqueeze(1)
    flat = torch.cat(sequences)
    values = torch.zeros(*mask.shape, flat.shape[1], dtype=flat.dtype, device=device)
    values[mask] = flat
    return Batch(values, mask, torch.tensor(labels, dtype=torch.int64, device=device))
