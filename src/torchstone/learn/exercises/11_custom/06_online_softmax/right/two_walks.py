# earns: solved lean
# two walks over the keys, einsum, in-place operations, the level as a second output
"""Attention in blocks of keys, with an online softmax: memory grows with n + m instead of n · m."""

import math
from typing import Any

import torch
from torch import Tensor


def _scores(q: Tensor, keys: Tensor) -> Tensor:
    return torch.einsum("hnd,hmd->hnm", q, keys).div_(math.sqrt(q.shape[2]))


class BlockAttention(torch.autograd.Function):
    """softmax(q kᵀ / √d) v in two walks: the level of each query first, then the sum."""

    @staticmethod
    def forward(q: Tensor, k: Tensor, v: Tensor, block: int) -> tuple[Tensor, Tensor]:
        high = total = None
        for keys in k.split(block, dim=1):
            scores = _scores(q, keys)
            top = scores.amax(2)
            if high is None:
                high, total = top, scores.sub_(top[..., None]).exp_().sum(2)
            else:
                higher = torch.maximum(high, top)
                total = total * (high - higher).exp_() + scores.sub_(higher[..., None]).exp_().sum(2)
                high = higher
        level = high + total.log()
        output = torch.zeros(*q.shape[:2], v.shape[2], dtype=q.dtype, device=q.device)
        for keys, values in zip(k.split(block, dim=1), v.split(block, dim=1), strict=True):
            p = _scores(q, keys).sub_(high[..., None]).exp_()
            output.baddbmm_(p, values)
        output /= total[..., None]
        return output, level

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        q, k, v, ctx.block = inputs
        ctx.save_for_backward(q, k, v, *output)
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx: Any, g: Tensor, _: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        q, k, v, output, level = ctx.saved_tensors
        root = math.sqrt(q.shape[2])
        d = (g * output).sum(2, keepdim=True)
        grad_q = torch.zeros_like(q)
        grads_k, grads_v = [], []
        for keys, values in zip(k.split(ctx.block, dim=1), v.split(ctx.block, dim=1), strict=True):
            p = _scores(q, keys).sub_(level[..., None]).exp_()
            grads_v.append(torch.einsum("hnm,hne->hme", p, g))
            ds = torch.einsum("hne,hme->hnm", g, values).sub_(d).mul_(p).div_(root)
            grad_q += torch.einsum("hnm,hmd->hnd", ds, keys)
            grads_k.append(torch.einsum("hnm,hnd->hmd", ds, q))
        return grad_q, torch.cat(grads_k, 1), torch.cat(grads_v, 1), None


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    """(heads, n, d), (heads, m, d), (heads, m, e) → (heads, n, e)."""
    return BlockAttention.apply(q, k, v, block)[0]
