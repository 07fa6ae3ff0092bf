# earns: solved lean
# a running logsumexp instead of a largest score and a sum: the output is normalised all the time
"""Attention in blocks of keys, with an online softmax: memory grows with n + m instead of n · m."""

from typing import Any

import torch
from torch import Tensor


class BlockAttention(torch.autograd.Function):
    """softmax(q kᵀ / √d) v, that keeps one number for each query beside arguments and output."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
        scale = q.shape[-1] ** -0.5
        output = q.new_zeros(*q.shape[:2], v.shape[-1])
        level = q.new_full((*q.shape[:2], 1), float("-inf"))
        for start in range(0, k.shape[1], block):
            part = slice(start, start + block)
            scores = (q @ k[:, part].mT).mul_(scale)
            higher = torch.logaddexp(level, scores.logsumexp(-1, keepdim=True))
            output.mul_((level - higher).clamp_(max=0).exp_())
            output.add_(scores.sub_(higher).clamp_(max=0).exp_() @ v[:, part])
            level = higher
        ctx.save_for_backward(q, k, v, output, level)
        ctx.block = block
        return output

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        q, k, v, output, level = ctx.saved_tensors
        scale = q.shape[-1] ** -0.5
        dot = (gradient * output).sum(-1, keepdim=True)
        grad_q, grad_k, grad_v = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
        for start in range(0, k.shape[1], ctx.block):
            part = slice(start, start + ctx.block)
            p = (q @ k[:, part].mT).mul_(scale).sub_(level).clamp_(max=0).exp_()
            grad_v[:, part] = p.mT @ gradient
            p.mul_((gradient @ v[:, part].mT).sub_(dot)).mul_(scale)
            grad_q += p @ k[:, part]
            grad_k[:, part] = p.mT @ q
        return grad_q, grad_k, grad_v, None


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    """(heads, n, d), (heads, m, d), (heads, m, e) → (heads, n, e)."""
    return BlockAttention.apply(q, k, v, block)
