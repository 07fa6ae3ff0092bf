# earns: solved
# the mask first, then all real steps at once into its places
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
    sequences = [sequence for sequence, _ in samples]
    first = sequences[0]
    lengths = torch.tensor([sequence.shape[0] for sequence in sequences], device=first.device)
    places = torch.arange(max(sequence.shape[0] for sequence in sequences), device=first.device)
    mask = places.unsqueeze(0) < lengths.unsqueeze(1)
    values = torch.zeros((*mask.shape, first.shape[1]), dtype=first.dtype, device=first.device)
    values[mask] = torch.cat(sequences)
    labels = torch.tensor([label for _, label in samples], dtype=torch.int64, device=first.device)
    return Batch(values=values, mask=mask, labels=labels)
