# rejected by: far_logits_are_right: The lowest and the highest number of a dtype
# holes are filled with the lowest finite number of the dtype, and share with true logits that are as low; 'Where it is
# false the result is exactly 0'
import torch
from torch import Tensor


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    lowest = torch.finfo(logits.dtype).min
    numbers = logits.masked_fill(~mask, lowest)
    if logits.dtype.itemsize == 2:
        numbers = numbers.float()
    numbers = (numbers - numbers.amax(-1, keepdim=True)).exp()
    shares = numbers / numbers.sum(-1, keepdim=True)
    return (shares * mask.any(-1, keepdim=True)).to(logits.dtype)
