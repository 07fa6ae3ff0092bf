# rejected by: on_another_device: Rows keep the order of the samples. The pretend device stands
# mask and labels are made on the CPU; promised: "everything is where the sequences are"
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
    first = samples[0][0]
    lengths = [len(sequence) for sequence, _ in samples]
    longest = max(lengths)
    values = first.new_zeros(len(samples), longest, first.shape[1])
    for row, (sequence, _) in zip(values, samples):
        row[: len(sequence)] = sequence
    steps = torch.arange(longest)
    mask = steps < torch.tensor(lengths).unsqueeze(1)
    labels = torch.tensor([label for _, label in samples], dtype=torch.int64)
    return Batch(values, mask, labels)
