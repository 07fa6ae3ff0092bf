# rejected by: no_big_matrix_lives: Walk through the keys in blocks: n × block numbers
# 'a few tensors of n × block': blocks of 64 keys, whatever the caller asks for
"""Attention in blocks of keys, with an online softmax: memory grows with n + m instead of n · m."""

from typing import Any

import torch
from torch import Tensor


class BlockAttention(torch.autograd.Function):
    """softmax(q kᵀ / √d) v, that keeps one number for each query beside arguments and output."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
        ctx.block, ctx.scale = block, q.shape[-1] ** -0.5
        largest = q.new_full((*q.shape[:-1], 1), -torch.inf)
        total = torch.zeros_like(largest)
        output = q.new_zeros(*q.shape[:-1], v.shape[-1])
        for keys, values in zip(k.split(64, 1), v.split(64, 1), strict=True):
            scores = q @ keys.mT * ctx.scale
            larger = torch.maximum(largest, scores.amax(-1, keepdim=True))
            # What was summed up stood relative to the old largest score; the first time that is exp(−∞) = 0.
            shrink = (largest - larger).exp()
            weights = (scores - larger).exp()
            total = total * shrink + weights.sum(-1, keepdim=True)
            output = output * shrink + weights @ values
            largest = larger
        output = output / total
        ctx.save_for_backward(q, k, v, output, largest + total.log())
        return output

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        q, k, v, output, log_total = ctx.saved_tensors
        mean = (gradient * output).sum(-1, keepdim=True)
        grad_q, grad_k, grad_v = torch.zeros_like(q), torch.empty_like(k), torch.empty_like(v)
        for start in range(0, k.shape[1], ctx.block):
            here = slice(start, start + ctx.block)
            weights = (q @ k[:, here].mT * ctx.scale - log_total).exp()
            grad_v[:, here] = weights.mT @ gradient
            grad_scores = weights * (gradient @ v[:, here].mT - mean) * ctx.scale
            grad_q += grad_scores @ k[:, here]
            grad_k[:, here] = grad_scores.mT @ q
        return grad_q, grad_k, grad_v, None


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    """(heads, n, d), (heads, m, d), (heads, m, e) → (heads, n, e)."""
    return BlockAttention.apply(q, k, v, block)
