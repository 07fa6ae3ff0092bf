# rejected by: long_rows_in_half_precision: The sum of a long row passes 65,504, where float16 ends
# "half precision in rows of many thousand elements": the total is a running sum kept in the dtype of the logits,
# which stops growing
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:

    low = torch.where(mask, logits, torch.full_like(logits, -torch.inf))
    top = low.amax(-1, keepdim=True)
    weights = (low.double() - torch.where(top.isinf(), torch.zeros_like(top), top).double()).exp().to(logits.dtype)
    total = torch.zeros_like(weights[..., 0])
    for column in weights.unbind(-1):
        total = total + column
    total = total.unsqueeze(-1)
    return weights / torch.where(total == 0, torch.ones_like(total), total)
