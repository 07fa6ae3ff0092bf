# rejected by: values_are_right: (n
# "Values keep the sequences' dtype": torch.zeros is float32
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
    values = torch.zeros(len(samples), longest, samples[0][0].shape[1], device=samples[0][0].device)
    mask = torch.zeros(values.shape[:2], dtype=torch.bool, device=values.device)
    for i, (sequence, _) in enumerate(samples):
        values[i, : len(sequence)] = sequence
        mask[i, : len(sequence)] = True
    return Batch(values, mask, torch.tensor([label for _, label in samples], device=values.device))
