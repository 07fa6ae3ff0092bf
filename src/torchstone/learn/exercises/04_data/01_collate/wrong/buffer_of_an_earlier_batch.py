# rejected by: batches_know_nothing_of_each_other: What a call returns is its own
# a buffer is reused over calls and never cleared, so an earlier batch shows behind short sequences: "each sequence
# from the left, and zeros after its end"
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


buffers: dict[tuple, Tensor] = {}  # so that memory need not be asked for again


def collate(samples: list[tuple[Tensor, int]]) -> Batch:
    """Pad sequences of shape (length, features) to the longest one, and say where they are real."""
    sequences, labels = zip(*samples, strict=True)
    lengths = torch.tensor([len(sequence) for sequence in sequences], device=sequences[0].device)
    n, longest, features = len(sequences), int(lengths.max()), sequences[0].shape[1]
    key = (sequences[0].dtype, sequences[0].device, features)
    buffer = buffers.get(key)
    if buffer is None or buffer.shape[0] < n or buffer.shape[1] < longest:
        buffer = buffers[key] = sequences[0].new_zeros(n, longest, features)
    for row, sequence in zip(buffer, sequences):
        row[: len(sequence)] = sequence
    mask = torch.arange(longest, device=lengths.device) < lengths[:, None]
    labels = torch.tensor(labels, dtype=torch.int64, device=lengths.device)
    return Batch(buffer[:n, :longest].clone(), mask, labels)
