# rejected by: masks_are_right: The mask is true where a real step stands
# "A step that happens to be all zeros is a real step": the mask asks where the values are not zero
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
    values = pad_sequence(list(sequences), batch_first=True)
    mask = (values != 0).any(-1)
    return Batch(values, mask, torch.tensor(labels, device=values.device))
