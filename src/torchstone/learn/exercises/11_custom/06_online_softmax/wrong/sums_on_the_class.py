# rejected by: gradients_are_right: Another call came between this one and its backward pass
# L lies on the class, where the next call overwrites it before the backward pass of the first ("Keep `q`, `k`, `v`,
# the output and, for each query, L = largest + log(sum)"; "solved: values and gradients for all sizes")
"""Attention in blocks of keys, with an online softmax: memory grows with n + m instead of n · m."""

from typing import Any

import torch
from torch import Tensor


class BlockAttention(torch.autograd.Function):
    """softmax(q kᵀ / √d) v, that keeps one number for each query beside arguments and output."""

    lse: Tensor

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
        heads, n, d = q.shape
        m = k.shape[1]
        largest = q.new_full((heads, n, 1), -torch.inf)
        total = q.new_zeros(heads, n, 1)
        output = q.new_zeros(heads, n, v.shape[2])
        for start in range(0, m, block):
            keys, values = k[:, start : start + block], v[:, start : start + block]
            scores = q @ keys.mT / d**0.5
            new = torch.maximum(largest, scores.amax(-1, keepdim=True))
            shrink = torch.exp(largest - new)
            weights = torch.exp(scores - new)
            total = total * shrink + weights.sum(-1, keepdim=True)
            output = output * shrink + weights @ values
            largest = new
        output = output / total
        ctx.save_for_backward(q, k, v, output)
        BlockAttention.lse = largest + total.log()
        ctx.block = block
        return output

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        q, k, v, output = ctx.saved_tensors
        lse = BlockAttention.lse
        block = ctx.block
        d = q.shape[-1]
        inner = (gradient * output).sum(-1, keepdim=True)
        grad_q, grad_k, grad_v = torch.zeros_like(q), torch.empty_like(k), torch.empty_like(v)
        for start in range(0, k.shape[1], block):
            part = slice(start, start + block)
            p = torch.exp(q @ k[:, part].mT / d**0.5 - lse)
            grad_v[:, part] = p.mT @ gradient
            grad_scores = p * (gradient @ v[:, part].mT - inner) / d**0.5
            grad_q += grad_scores @ k[:, part]
            grad_k[:, part] = grad_scores.mT @ q
        return grad_q, grad_k, grad_v, None


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    """(heads, n, d), (heads, m, d), (heads, m, e) → (heads, n, e)."""
    return BlockAttention.apply(q, k, v, block)
