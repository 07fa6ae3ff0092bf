# rejected by: ordinary_rows_are_right: the result of masked_softmax is
# "a row without a single true element, which gives zeros and not NaN": 1e-9 is 0 in float16, so 0 / 0
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:

    low = torch.where(mask, logits, torch.tensor(-torch.inf, dtype=logits.dtype, device=logits.device))
    top = low.amax(-1, keepdim=True)
    top = torch.where(top.isinf(), torch.zeros_like(top), top)
    weights = (low - top).exp()
    return weights / (weights.sum(-1, keepdim=True) + 1e-9)
