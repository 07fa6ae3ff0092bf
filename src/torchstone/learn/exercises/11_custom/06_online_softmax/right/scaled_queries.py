# earns: solved lean
# scales the queries once; blocks by narrow; gradients of keys and values by cat
"""Attention in blocks of keys, with an online softmax: memory grows with n + m instead of n · m."""

from typing import Any

import torch
from torch import Tensor


class BlockAttention(torch.autograd.Function):
    """softmax(q kᵀ / √d) v, that keeps one number for each query beside arguments and output."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
        scaled = q / q.shape[-1] ** 0.5
        largest = total = mixed = None
        for keys, values in zip(k.split(block, 1), v.split(block, 1)):
            scores = torch.bmm(scaled, keys.transpose(1, 2))
            top = scores.max(2, keepdim=True).values
            if largest is None:
                weights = torch.exp(scores - top)
                largest, total, mixed = top, weights.sum(2, keepdim=True), torch.bmm(weights, values)
                continue
            top = torch.maximum(largest, top)
            shrink, weights = torch.exp(largest - top), torch.exp(scores - top)
            largest = top
            total = torch.addcmul(weights.sum(2, keepdim=True), total, shrink)
            mixed = torch.baddbmm(mixed * shrink, weights, values)
        output = mixed / total
        ctx.save_for_backward(q, k, v, output, largest + torch.log(total))
        ctx.block = block
        return output

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        q, k, v, output, level = ctx.saved_tensors
        scaled = q / q.shape[-1] ** 0.5
        dot = torch.einsum("hne,hne->hn", gradient, output).unsqueeze(2)
        dq, dk, dv = torch.zeros_like(q), [], []
        for keys, values in zip(k.split(ctx.block, 1), v.split(ctx.block, 1)):
            p = torch.exp(torch.bmm(scaled, keys.transpose(1, 2)) - level)
            dv.append(torch.bmm(p.transpose(1, 2), gradient))
            p *= torch.bmm(gradient, values.transpose(1, 2)) - dot
            dq = torch.baddbmm(dq, p, keys)
            dk.append(torch.bmm(p.transpose(1, 2), scaled))
        return dq / q.shape[-1] ** 0.5, torch.cat(dk, 1), torch.cat(dv, 1), None


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    """(heads, n, d), (heads, m, d), (heads, m, e) → (heads, n, e)."""
    return BlockAttention.apply(q, k, v, block)
