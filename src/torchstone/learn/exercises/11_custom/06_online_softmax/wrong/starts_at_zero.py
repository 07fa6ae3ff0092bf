# rejected by: large_scores_are_no_trouble: An exponent became too large, or −∞ met −∞: always
# the largest score starts at 0, so that rows of scores far below 0 underflow to 0 / 0; 'Scores may be in the
# thousands'
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
        largest = q.new_zeros(*q.shape[:2], 1)
        total = torch.zeros_like(largest)
        for start in range(0, k.shape[1], block):
            part = slice(start, start + block)
            scores = (q @ k[:, part].mT).mul_(scale)
            higher = torch.maximum(largest, scores.amax(-1, keepdim=True))
            shrink = (largest - higher).exp_()
            p = scores.sub_(higher).exp_()
            total = total * shrink + p.sum(-1, keepdim=True)
            output.mul_(shrink).add_(p @ v[:, part])
            largest = higher
        output.div_(total)
        level = largest + total.log()
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
