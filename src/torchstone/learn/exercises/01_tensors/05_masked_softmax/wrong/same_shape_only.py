# rejected by: ordinary_rows_are_right: view() cannot describe these strides
# "mask broadcasts against logits": rows are picked by a mask that must have the shape of the logits
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:

    result = torch.zeros_like(logits)
    wide = logits if logits.dtype == torch.float64 else logits.float()
    flat_mask, flat = mask.reshape(-1, logits.shape[-1]), wide.reshape(-1, logits.shape[-1])
    out = result.view(-1, logits.shape[-1])
    for row in range(len(flat)):
        chosen = flat[row][flat_mask[row]]
        if len(chosen):
            weights = (chosen - chosen.max()).exp()
            out[row, flat_mask[row]] = (weights / weights.sum()).to(logits.dtype)
    return result
