# rejected by: outputs_are_right: When a block brings a larger score
# 'm need not be a multiple of `block`': keys are padded with zeros, whose scores of 0 take part in the softmax
"""Attention in blocks of keys, with an online softmax: memory grows with n + m instead of n · m."""

from typing import Any

import torch
from torch import Tensor


class BlockAttention(torch.autograd.Function):
    """softmax(q kᵀ / √d) v, that keeps one number for each query beside arguments and output."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
        scale = q.shape[-1] ** -0.5
        largest = q.new_full((*q.shape[:-1], 1), float("-inf"))
        total = torch.zeros_like(largest)
        out = q.new_zeros(*q.shape[:-1], v.shape[-1])
        for start in range(0, k.shape[1], block):
            scores = q @ k[:, start : start + block].mT * scale
            new = torch.maximum(largest, scores.amax(-1, keepdim=True))
            p = (scores - new).exp_()
            shrink = (largest - new).exp()
            total = total * shrink + p.sum(-1, keepdim=True)
            out = out * shrink + p @ v[:, start : start + block]
            largest = new
        out = out / total
        ctx.save_for_backward(q, k, v, out, largest + total.log())
        ctx.block = block
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        q, k, v, out, level = ctx.saved_tensors
        scale = q.shape[-1] ** -0.5
        d = (gradient * out).sum(-1, keepdim=True)
        grad_q, grad_k, grad_v = torch.zeros_like(q), torch.empty_like(k), torch.empty_like(v)
        for start in range(0, k.shape[1], ctx.block):
            part = slice(start, start + ctx.block)
            p = (q @ k[:, part].mT * scale - level).exp_()
            grad_v[:, part] = p.mT @ gradient
            slope = p * (gradient @ v[:, part].mT - d) * scale
            grad_q += slope @ k[:, part]
            grad_k[:, part] = slope.mT @ q
        return grad_q, grad_k, grad_v, None


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    rest = -k.shape[1] % block
    if rest:
        k = torch.nn.functional.pad(k, (0, 0, 0, rest))
        v = torch.nn.functional.pad(v, (0, 0, 0, rest))
    return BlockAttention.apply(q, k, v, block)
