# earns: solved
# functional.pad on each one, then stack; the mask is padded the same way
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from torch.nn import functional


class Batch(NamedTuple):
    """What a training step gets."""

    values: Tensor
    mask: Tensor
    labels: Tensor


def collate(samples: list[tuple[Tensor, int]]) -> Batch:
    """Pad sequences of shape (length, features) to the longest one, and say where they are real."""

    longest = max(len(sequence) for sequence, _ in samples)
    values, masks = [], []
    for sequence, _ in samples:
        missing = longest - len(sequence)
        tail = sequence.new_zeros(missing, sequence.shape[1])
        values.append(torch.cat([sequence, tail]))
        real = torch.ones(len(sequence), dtype=torch.bool, device=sequence.device)
        masks.append(functional.pad(real, (0, missing), value=False))
    labels = torch.as_tensor([int(label) for _, label in samples], dtype=torch.int64)
    return Batch(torch.stack(values), torch.stack(masks), labels.to(values[0].device))
