# rejected by: values_are_exactly_theirs: collate returned a tuple
# "It returns a `Batch`": a plain tuple
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
    sequences, labels = zip(*samples, strict=True)
    values = pad_sequence(sequences, batch_first=True)
    lengths = torch.tensor([len(sequence) for sequence in sequences], device=values.device)
    # From the lengths, not from the values: a step of zeros is real.
    mask = torch.arange(values.shape[1], device=values.device) < lengths[:, None]
    return (values, mask, torch.tensor(labels, device=values.device))
