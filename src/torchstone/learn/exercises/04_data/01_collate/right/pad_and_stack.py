# earns: solved
# functional.pad behind each sequence, then a stack; the mask by comparing
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional


class Batch(NamedTuple):
    values: Tensor
    mask: Tensor
    labels: Tensor


def collate(samples: list[tuple[Tensor, int]]) -> Batch:
    lengths = [sequence.size(0) for sequence, _ in samples]
    longest = max(lengths)
    values = torch.stack([functional.pad(sequence, (0, 0, 0, longest - len(sequence))) for sequence, _ in samples])
    place = values.device
    mask = torch.tensor(lengths, device=place).unsqueeze(1) > torch.arange(longest, device=place)
    labels = torch.as_tensor([int(label) for _, label in samples], dtype=torch.long, device=place)
    return Batch(values=values, mask=mask, labels=labels)
