# earns: solved
# an autograd.Function with its own backward
import torch
from torch import Tensor


class MaskedSoftmax(torch.autograd.Function):
    """p = exp(x − max) / Σ, and dx = p · (g − Σ g p)."""

    @staticmethod
    def forward(ctx, logits: Tensor, mask: Tensor) -> Tensor:
        wide = logits.double()
        low = wide.masked_fill(mask.logical_not(), float("-inf"))
        if low.shape[-1] == 0:
            ctx.save_for_backward(low)
            return low.to(logits.dtype)
        top = low.amax(dim=-1, keepdim=True)
        top = top.masked_fill(top == float("-inf"), 0.0)
        weights = torch.exp(low - top)
        total = weights.sum(dim=-1, keepdim=True)
        share = weights / total.masked_fill(total == 0.0, 1.0)
        ctx.save_for_backward(share)
        ctx.shape = logits.shape
        return share.to(logits.dtype)

    @staticmethod
    def backward(ctx, grad: Tensor):
        (share,) = ctx.saved_tensors
        wide = grad.double()
        inner = share * (wide - (wide * share).sum(-1, keepdim=True))
        return inner.sum_to_size(ctx.shape).to(grad.dtype), None


def masked_softmax(logits: Tensor, mask: Tensor) -> Tensor:

    return MaskedSoftmax.apply(logits, mask)
