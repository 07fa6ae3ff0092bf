# rejected by: hidden_keys_may_fit_better: Scores may be lower than any number
# 'its tokens look at everything before them': −1e9 is added to the scores of later keys, and not −inf
"""Self-attention that continues a text from a cache of keys and values."""

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention


def rotate(x: Tensor, positions: Tensor) -> Tensor:
    """Rotary positions: (..., n, d) and (n,) → (..., n, d)."""
    half = x.shape[-1] // 2
    frequencies = 10_000.0 ** (-torch.arange(half, device=x.device, dtype=x.dtype) / half)
    angles = positions[:, None].to(x.dtype) * frequencies
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * angles.cos() - second * angles.sin(), first * angles.sin() + second * angles.cos()], -1)


class KVCache:
    """Room for the keys and values of `capacity` positions."""

    def __init__(
        self,
        batch: int,
        heads: int,
        capacity: int,
        width: int,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ) -> None:
        self.length = 0
        self.keys = torch.zeros(batch, heads, capacity, width, dtype=dtype, device=device)
        self.values = torch.zeros_like(self.keys)

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Write (batch, heads, n, width) behind what is there; returns views of all keys and values so far."""
        end, capacity = self.length + key.shape[2], self.keys.shape[2]
        if end > capacity:
            raise ValueError(f"{end} positions do not fit into a cache with a capacity of {capacity}")
        self.keys[:, :, self.length : end] = key
        self.values[:, :, self.length : end] = value
        self.length = end
        return self.keys[:, :, :end], self.values[:, :, :end]


class SelfAttention(nn.Module):
    """Causal attention of one text to itself."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor, cache: KVCache | None = None) -> Tensor:
        """(batch, n, width) → (batch, n, width); with a cache, x continues the text that it holds."""
        n = x.shape[1]
        start = 0 if cache is None else cache.length
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.project(x).chunk(3, -1)
        )
        positions = torch.arange(start, start + n, device=x.device)
        # Keys are kept as they were rotated: a position is absolute, so it never changes again.
        query, key = rotate(query, positions), rotate(key, positions)
        if cache is not None:
            key, value = cache.append(key, value)
        # The last n of start + n positions: the lower right corner of the square mask.
        mask = torch.ones(n, start + n, dtype=torch.bool, device=x.device).tril(start)
        result = scaled_dot_product_attention(query, key, value, attn_mask=torch.where(mask, 0.0, -1e9).to(query.dtype))
        return self.out(result.transpose(1, 2).flatten(2))
