# rejected by: no_big_matrix_lives: 512 × 512 numbers live at some time
# 'Keep `q`, `k`, `v`, the output and, for each query, L': plain torch operations, autograd keeps every block
"""Attention in blocks of keys, with an online softmax: memory grows with n + m instead of n · m."""

from typing import Any

import torch
from torch import Tensor


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    scale = q.shape[-1] ** -0.5
    largest = q.new_full((*q.shape[:-1], 1), float("-inf"))
    total = torch.zeros_like(largest)
    out = q.new_zeros(*q.shape[:-1], v.shape[-1])
    for keys, values in zip(k.split(block, 1), v.split(block, 1)):
        scores = q @ keys.mT * scale
        new = torch.maximum(largest, scores.detach().amax(-1, keepdim=True))
        p = (scores - new).exp()
        shrink = (largest - new).exp()
        total = total * shrink + p.sum(-1, keepdim=True)
        out = out * shrink + p @ values
        largest = new
    return out / total


class BlockAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
        ctx.save_for_backward(q, k, v)
        return attention(q, k, v, block)
