# rejected by: outputs_are_right: When a block brings a larger score
# divides the scores by the root of v's width e instead of d; breaks 'softmax(q kᵀ / √d) v' where e is not d
"""Attention in blocks of keys, with an online softmax: memory grows with n + m instead of n · m."""

from typing import Any

import torch
from torch import Tensor


class BlockAttention(torch.autograd.Function):
    """softmax(q kᵀ / √d) v, that keeps one number for each query beside arguments and output."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
        scale = v.shape[-1] ** -0.5
        heads, n, _ = q.shape
        largest = q.new_full((heads, n, 1), -torch.inf)
        total = q.new_zeros(heads, n, 1)
        output = q.new_zeros(heads, n, v.shape[-1])
        for begin in range(0, k.shape[1], block):
            scores = q @ k[:, begin : begin + block].mT * scale
            new = torch.maximum(largest, scores.amax(-1, keepdim=True))
            p = torch.exp(scores - new)
            fade = torch.exp(largest - new)
            total = total * fade + p.sum(-1, keepdim=True)
            output = output * fade + p @ v[:, begin : begin + block]
            largest = new
        output = output / total
        ctx.save_for_backward(q, k, v, output, largest + total.log())
        ctx.block, ctx.scale = block, scale
        return output

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        q, k, v, output, level = ctx.saved_tensors
        delta = (gradient * output).sum(-1, keepdim=True)
        grad_q, grad_k, grad_v = torch.zeros_like(q), torch.empty_like(k), torch.empty_like(v)
        for begin in range(0, k.shape[1], ctx.block):
            part = slice(begin, begin + ctx.block)
            p = torch.exp(q @ k[:, part].mT * ctx.scale - level)
            grad_v[:, part] = p.mT @ gradient
            grad_scores = p * (gradient @ v[:, part].mT - delta) * ctx.scale
            grad_q += grad_scores @ k[:, part]
            grad_k[:, part] = grad_scores.mT @ q
        return grad_q, grad_k, grad_v, None


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    """(heads, n, d), (heads, m, d), (heads, m, e) → (heads, n, e)."""
    return BlockAttention.apply(q, k, v, block)
