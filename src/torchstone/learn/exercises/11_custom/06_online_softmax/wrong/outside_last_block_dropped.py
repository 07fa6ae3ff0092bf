# rejected by: outputs_are_right: When a block brings a larger score
# "m need not be a multiple of `block`": the remainder is left out
"""Attention in blocks of keys, with an online softmax: memory grows with n + m instead of n · m."""

import math
from typing import Any

import torch
from torch import Tensor


class BlockAttention(torch.autograd.Function):
    """softmax(q kᵀ / √d) v, that keeps one number for each query beside arguments and output."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
        scaled = q / math.sqrt(q.shape[-1])
        largest = q.new_full((*q.shape[:-1], 1), -math.inf)
        total = torch.zeros_like(largest)
        sums = q.new_zeros(*q.shape[:-1], v.shape[-1])
        full = max(k.shape[1] // block, 1) * block
        for keys, values in zip(k[:, :full].split(block, 1), v[:, :full].split(block, 1), strict=True):
            scores = scaled @ keys.mT
            top = torch.maximum(largest, scores.amax(-1, keepdim=True))
            shrink = (largest - top).exp_()
            scores.sub_(top).exp_()
            total.mul_(shrink).add_(scores.sum(-1, keepdim=True))
            sums.mul_(shrink).add_(scores @ values)
            largest = top
        output = sums.div_(total)
        ctx.save_for_backward(q, k, v, output, largest + total.log())
        ctx.block = block
        return output

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        q, k, v, output, level = ctx.saved_tensors
        scale = 1 / math.sqrt(q.shape[-1])
        common = (gradient * output).sum(-1, keepdim=True)
        grad_q, grad_k, grad_v = torch.zeros_like(q), [], []
        for keys, values in zip(k.split(ctx.block, 1), v.split(ctx.block, 1), strict=True):
            p = (q @ keys.mT).mul_(scale).sub_(level).exp_()
            grad_v.append(p.mT @ gradient)
            p.mul_((gradient @ values.mT).sub_(common)).mul_(scale)
            grad_q += p @ keys
            grad_k.append(p.mT @ q)
        return grad_q, torch.cat(grad_k, 1), torch.cat(grad_v, 1), None


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    """(heads, n, d), (heads, m, d), (heads, m, e) → (heads, n, e)."""
    return BlockAttention.apply(q, k, v, block)
