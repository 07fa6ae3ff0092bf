# rejected by: no_big_matrix_lives: 512 × 512 numbers live at some time
# "forward and backward hold a few tensors of n × block …, never n × m": the backward makes all probabilities at once
"""Attention in blocks of keys, with an online softmax: memory grows with n + m instead of n · m."""

from typing import Any

import torch
from torch import Tensor


class BlockAttention(torch.autograd.Function):
    """softmax(q kᵀ / √d) v, that keeps one number for each query beside arguments and output."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
        scale = q.shape[-1] ** -0.5
        largest = q.new_full((*q.shape[:2], 1), -torch.inf)
        total = torch.zeros_like(largest)
        mixed = q.new_zeros(*q.shape[:2], v.shape[-1])
        for start in range(0, k.shape[1], block):
            scores = q @ k[:, start : start + block].mT * scale
            new = torch.maximum(largest, scores.amax(-1, keepdim=True))
            shrink = (largest - new).exp()
            weights = (scores - new).exp()
            total = total * shrink + weights.sum(-1, keepdim=True)
            mixed = mixed * shrink + weights @ v[:, start : start + block]
            largest = new
        output = mixed / total
        ctx.save_for_backward(q, k, v, output, largest + total.log())
        ctx.block, ctx.scale = block, scale
        return output

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        q, k, v, output, level = ctx.saved_tensors
        dot = (gradient * output).sum(-1, keepdim=True)
        p = (q @ k.mT * ctx.scale - level).exp()
        ds = p * (gradient @ v.mT - dot) * ctx.scale
        return ds @ k, ds.mT @ q, p.mT @ gradient, None


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    """(heads, n, d), (heads, m, d), (heads, m, e) → (heads, n, e)."""
    return BlockAttention.apply(q, k, v, block)
