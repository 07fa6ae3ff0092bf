# rejected by: on_another_device: Rows keep the order of the samples
# "everything is where the sequences are": the labels stay on the CPU
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
    device = sequences[0].device
    lengths = torch.tensor([len(sequence) for sequence in sequences], device=device)
    values = pad_sequence(sequences, batch_first=True)
    mask = torch.arange(values.shape[1], device=device) < lengths[:, None]
    return Batch(values, mask, torch.tensor(labels, dtype=torch.int64))
