"""One fused attention kernel, as real accelerators have; without it, PyTorch makes attention of plain ops.

Written on CPU tensors after PyTorch's math fallback. It computes in float32 at least, and has no dropout: with
dropout the plain ops are chosen, as on MPS.
"""

import math
from typing import Any

import torch
from torch import Tensor

from torchstone.pretend.machine import machine

aten = torch.ops.aten


def choose_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """`aten::scaled_dot_product_attention`, where autograd enters: PyTorch lets a device choose from C++ only."""
    if not machine.knobs.fused_attention or dropout_p:
        options = {"scale": scale, "enable_gqa": enable_gqa}
        operator = aten.scaled_dot_product_attention.default
        return operator.decompose(query, key, value, attn_mask, dropout_p, is_causal, **options)  # type: ignore[no-any-return]
    bias = attn_mask
    if bias is not None and bias.dtype is torch.bool:
        bias = torch.zeros_like(bias, dtype=query.dtype).masked_fill_(bias.logical_not(), -math.inf)
    fused = aten._scaled_dot_product_fused_attention_overrideable.default
    return fused(query, key, value, bias, 0.0, is_causal, scale=scale)[0]  # type: ignore[no-any-return]


def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    bias: Tensor | None = None,
    dropout: float = 0.0,
    is_causal: bool = False,
    return_debug_mask: bool = False,
    *,
    scale: float | None = None,
) -> tuple[Any, ...]:
    """`aten::_scaled_dot_product_fused_attention_overrideable`."""
    scores = _scores(query, key, bias, is_causal, scale)
    result = (_weights(scores) @ _share_heads(_widen(value), query)).to(query.dtype)
    nothing = torch.empty(0, dtype=torch.int64)
    marks = (nothing, nothing.clone(), query.size(-2), key.size(-2), nothing.clone(), nothing.clone())
    return result, scores.logsumexp(-1), *marks, torch.empty(0, dtype=query.dtype)


def attend_backward(
    grad: Tensor,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    bias: Tensor | None,
    wanted: list[bool],
    out: Tensor,
    logsumexp: Tensor,
    cum_seq_q: Tensor,
    cum_seq_k: Tensor,
    max_q: int,
    max_k: int,
    dropout: float,
    is_causal: bool,
    philox_seed: Tensor,
    philox_offset: Tensor,
    *,
    scale: float | None = None,
) -> tuple[Any, ...]:
    """`aten::_scaled_dot_product_fused_attention_overrideable_backward`."""
    weights = _weights(_scores(query, key, bias, is_causal, scale))
    grad_weights = _widen(grad) @ _share_heads(_widen(value), query).mT
    grad_scores = weights * (grad_weights - (grad_weights * weights).sum(-1, keepdim=True))
    factor = _factor(query, scale)
    grads = [
        grad_scores @ _share_heads(_widen(key), query) * factor,
        _gather_heads(grad_scores.mT @ _widen(query) * factor, key),
        _gather_heads(weights.mT @ _widen(grad), value),
    ]
    results = [part.to(source.dtype) for part, source in zip(grads, (query, key, value), strict=True)]
    results.append(torch.empty(0) if bias is None or not wanted[3] else grad_scores.sum_to_size(bias.shape))
    return tuple(results)


def _scores(query: Tensor, key: Tensor, bias: Tensor | None, is_causal: bool, scale: float | None) -> Tensor:
    scores = _widen(query) @ _share_heads(_widen(key), query).mT * _factor(query, scale)
    if is_causal:
        allowed = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~allowed, -math.inf)
    return scores if bias is None else scores + bias


def _weights(scores: Tensor) -> Tensor:
    """The softmax, and zeros where everything is masked."""
    return torch.where((scores == -math.inf).all(-1, keepdim=True), 0.0, scores.softmax(-1))


def _factor(query: Tensor, scale: float | None) -> float:
    return 1 / math.sqrt(query.size(-1)) if scale is None else scale


def _widen(tensor: Tensor) -> Tensor:
    return tensor if tensor.dtype is torch.float64 else tensor.float()


def _share_heads(tensor: Tensor, query: Tensor) -> Tensor:
    """Repeat the heads of grouped keys or values to as many as the query has."""
    groups = query.size(-3) // tensor.size(-3) if query.dim() > 3 else 1
    return tensor if groups == 1 else tensor.repeat_interleave(groups, -3)


def _gather_heads(grad: Tensor, source: Tensor) -> Tensor:
    if source.dim() < 4 or grad.size(-3) == source.size(-3):
        return grad
    groups = grad.size(-3) // source.size(-3)
    return grad.reshape(*grad.shape[:-3], -1, groups, *grad.shape[-2:]).sum(-3)
