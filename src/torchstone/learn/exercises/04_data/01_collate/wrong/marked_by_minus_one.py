# rejected by: values_are_exactly_theirs: Every value is copied as it is
# padding is marked by −1 and found again by it: a real step that is all −1 is lost (and uint8 has no −1); 'true
# where a real step stands', values 'are exactly theirs'
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
    values = pad_sequence(sequences, batch_first=True, padding_value=-1)
    mask = (values != -1).any(dim=2)
    values = torch.where(mask[:, :, None], values, 0)
    return Batch(values, mask, torch.tensor(labels, device=device))
