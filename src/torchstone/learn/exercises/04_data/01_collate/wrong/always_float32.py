# rejected by: values_are_right: dtype
"""Make one batch of sequences of different lengths."""

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
    longest = max(len(sequence) for sequence, _ in samples)
    values = torch.zeros(len(samples), longest, samples[0][0].shape[1])
    mask = torch.zeros(len(samples), longest, dtype=torch.bool)
    for row, (sequence, _) in enumerate(samples):
        values[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = True
    return Batch(values, mask, torch.tensor([label for _, label in samples]))
