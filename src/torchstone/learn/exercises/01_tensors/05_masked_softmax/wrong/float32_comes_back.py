# rejected by: ordinary_rows_are_right: The result should follow the dtype of its inputs
# "The result has the dtype of the logits": half goes in, float32 comes out
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:

    wide = logits if logits.dtype == torch.float64 else logits.to(torch.float32)
    low = wide.masked_fill(~mask, -torch.inf)
    top = low.amax(-1, keepdim=True)
    weights = (low - top.masked_fill(top == -torch.inf, 0.0)).exp()
    total = weights.sum(-1, keepdim=True)
    return weights / total.masked_fill(total == 0, 1.0)
