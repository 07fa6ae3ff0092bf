# earns: solved lean
# a loop over the heads with two-dimensional products, in-place rescaling
"""Attention in blocks of keys, with an online softmax: memory grows with n + m instead of n · m."""

from typing import Any

import torch
from torch import Tensor


def _forward(q: Tensor, k: Tensor, v: Tensor, block: int) -> tuple[Tensor, Tensor]:
    n, m = len(q), len(k)
    q = q / q.shape[1] ** 0.5
    biggest = torch.full((n,), float("-inf"), dtype=q.dtype, device=q.device)
    weight = torch.zeros(n, dtype=q.dtype, device=q.device)
    summed = torch.zeros(n, v.shape[1], dtype=q.dtype, device=q.device)
    start = 0
    while start < m:
        end = min(start + block, m)
        scores = torch.mm(q, k[start:end].t())
        bigger = torch.maximum(biggest, scores.max(dim=1).values)
        old = torch.exp(biggest - bigger)
        scores = torch.exp(scores - bigger[:, None])
        weight.mul_(old).add_(scores.sum(1))
        summed.mul_(old[:, None]).addmm_(scores, v[start:end])
        biggest, start = bigger, end
    return summed / weight[:, None], biggest + weight.log()


class BlockAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
        pairs = [_forward(*heads, block) for heads in zip(q, k, v)]
        out = torch.stack([pair[0] for pair in pairs])
        ctx.save_for_backward(q, k, v, out, torch.stack([pair[1] for pair in pairs]))
        ctx.block = block
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        q, k, v, out, level = ctx.saved_tensors
        results = [torch.zeros_like(t) for t in (q, k, v)]
        scale = q.shape[2] ** -0.5
        for head in range(q.shape[0]):
            g, whole = gradient[head], (gradient[head] * out[head]).sum(1, keepdim=True)
            for start in range(0, k.shape[1], ctx.block):
                keys, values = k[head, start : start + ctx.block], v[head, start : start + ctx.block]
                p = torch.exp(q[head] @ keys.t() * scale - level[head, :, None])
                results[2][head, start : start + ctx.block] = p.t() @ g
                p = p * (g @ values.t() - whole)
                results[0][head] += scale * (p @ keys)
                results[1][head, start : start + ctx.block] = scale * (p.t() @ q[head])
        return results[0], results[1], results[2], None


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    """(heads, n, d), (heads, m, d), (heads, m, e) → (heads, n, e)."""
    return BlockAttention.apply(q, k, v, block)
