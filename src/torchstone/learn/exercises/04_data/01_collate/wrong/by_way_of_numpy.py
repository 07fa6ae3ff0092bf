# rejected by: values_are_right: TypeError
# "everything is where the sequences are" and "every mix of ... dtypes": numpy knows neither bfloat16 nor other
# devices
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
import numpy as np


class Batch(NamedTuple):
    """What a training step gets."""

    values: Tensor
    mask: Tensor
    labels: Tensor


def collate(samples: list[tuple[Tensor, int]]) -> Batch:
    """Pad sequences of shape (length, features) to the longest one, and say where they are real."""

    arrays = [sequence.detach().cpu().numpy() for sequence, _ in samples]
    longest = max(len(one) for one in arrays)
    values = np.zeros((len(arrays), longest, arrays[0].shape[1]), dtype=arrays[0].dtype)
    mask = np.zeros((len(arrays), longest), dtype=bool)
    for i, one in enumerate(arrays):
        values[i, : len(one)], mask[i, : len(one)] = one, True
    labels = np.array([label for _, label in samples], dtype=np.int64)
    return Batch(torch.from_numpy(values), torch.from_numpy(mask), torch.from_numpy(labels))
