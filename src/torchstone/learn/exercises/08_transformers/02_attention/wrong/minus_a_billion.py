# rejected by: hidden_keys_have_no_influence: Scores may be lower than any number
# 'A key that may not be looked at has no influence at all': its score is −1e9, and those that may be seen lie lower
import torch
from torch import Tensor


def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    kind = query.dtype
    work = torch.float64 if kind == torch.float64 else torch.float32
    q, k, v = (t.to(work) for t in (query, key, value))
    scores = (q @ k.mT) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = torch.where(mask, scores, -1e9)
    return (scores.softmax(dim=-1) @ v).to(kind)


def causal_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    n, m = query.shape[-2], key.shape[-2]
    rows = torch.arange(m - n, m, device=query.device)
    return attention(query, key, value, rows[:, None] >= torch.arange(m, device=query.device))
