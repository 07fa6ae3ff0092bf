# earns: solved lean
# einsum and a column of ones beside the values
"""Attention in blocks of keys: values with a column of ones, so that one sum brings numerator and denominator."""

import math
from typing import Any

import torch
from torch import Tensor


class BlockAttention(torch.autograd.Function):
    """softmax(q kᵀ / √d) v, that keeps one number for each query beside arguments and output."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, block: int) -> Tensor:
        q_small = q / math.sqrt(q.shape[-1])
        peak, both = None, None
        for keys, values in zip(k.split(block, dim=1), v.split(block, dim=1), strict=True):
            with_ones = torch.cat([values, values.new_ones(*values.shape[:2], 1)], dim=2)
            score = torch.einsum("hnd,hmd->hnm", q_small, keys)
            here = torch.max(score, dim=2).values
            if peak is not None:
                here = torch.where(here > peak, here, peak)
            weights = torch.exp(score - here.unsqueeze(2))
            added = torch.einsum("hnm,hme->hne", weights, with_ones)
            both = added if both is None else torch.addcmul(added, both, torch.exp(peak - here).unsqueeze(2))
            peak = here
        output = (both[..., :-1] / both[..., -1:]).contiguous()
        ctx.save_for_backward(q, k, v, output, peak + torch.log(both[..., -1]))
        ctx.block = block
        return output

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        q, k, v, output, log_sum = ctx.saved_tensors
        root = math.sqrt(q.shape[-1])
        d_sum = torch.einsum("hne,hne->hn", gradient, output).unsqueeze(2)
        for_q, for_k, for_v = torch.zeros_like(q), [], []
        for keys, values in zip(k.split(ctx.block, dim=1), v.split(ctx.block, dim=1), strict=True):
            exponent = torch.einsum("hnd,hmd->hnm", q / root, keys) - log_sum.unsqueeze(2)
            p = torch.exp(torch.minimum(exponent, exponent.new_zeros(())))
            del exponent
            for_v.append(torch.einsum("hnm,hne->hme", p, gradient))
            of_score = p * (torch.einsum("hne,hme->hnm", gradient, values) - d_sum) / root
            for_q += torch.einsum("hnm,hmd->hnd", of_score, keys)
            for_k.append(torch.einsum("hnm,hnd->hmd", of_score, q))
        return for_q, torch.cat(for_k, dim=1), torch.cat(for_v, dim=1), None


def attention(q: Tensor, k: Tensor, v: Tensor, block: int = 64) -> Tensor:
    """(heads, n, d), (heads, m, d), (heads, m, e) → (heads, n, e)."""
    return BlockAttention.apply(q, k, v, block)
