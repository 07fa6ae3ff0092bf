# earns: solved
# all steps in one cat, put into place by the mask
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

    sequences = [sequence for sequence, _ in samples]
    device = sequences[0].device
    lengths = [sequence.size(0) for sequence in sequences]
    longest = max(lengths)
    steps = torch.arange(longest, device=device).expand(len(samples), longest)
    mask = steps.lt(torch.tensor(lengths, device=device).unsqueeze(1))
    values = sequences[0].new_zeros(len(samples), longest, sequences[0].size(1))
    values[mask] = torch.cat(sequences)
    labels = torch.tensor([label for _, label in samples], device=device, dtype=torch.long)
    return Batch(values=values, mask=mask, labels=labels)
