# rejected by: on_another_device: Rows keep the order of the samples
# "everything is where the sequences are": mask and labels are made on the CPU
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
    lengths = torch.tensor([len(one) for one in sequences])
    mask = torch.arange(values.shape[1]) < lengths[:, None]
    return Batch(values, mask, torch.tensor(labels))
