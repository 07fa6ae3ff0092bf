# rejected by: ordinary_rows_are_right: the one you are writing
"""A softmax over the unmasked elements that never gives NaN."""

import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, and 0 elsewhere; `mask` broadcasts against `logits`."""
    return logits.masked_fill(~mask, -torch.inf).softmax(-1).nan_to_num()
