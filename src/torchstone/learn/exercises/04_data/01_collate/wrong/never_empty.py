# rejected by: values_are_right: (n, longest of this batch, features): the batch comes first;
# a batch of empty sequences gets one step of padding; promised: "`longest` is the longest sequence *of this batch*. A
# sequence may be empty, even all of them may be"
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
    longest = max(1, *lengths)
    values = first.new_zeros(len(samples), longest, first.shape[1])
    for row, (sequence, _) in zip(values, samples):
        row[: len(sequence)] = sequence
    steps = torch.arange(longest, device=first.device)
    mask = steps < torch.tensor(lengths, device=first.device).unsqueeze(1)
    labels = torch.tensor([label for _, label in samples], dtype=torch.int64, device=first.device)
    return Batch(values, mask, labels)
