# earns: solved lean
# two tensors, slice assignment, no mask for a single token, products by hand with a cache
"""Self-attention that continues a text from a cache of keys and values."""

import math

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
        self.capacity = capacity
        self.keys, self.values = (
            torch.empty((batch, heads, capacity, width), dtype=dtype, device=device) for _ in range(2)
        )

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Write (batch, heads, n, width) behind what is there; returns views of all keys and values so far."""
        end = self.length + key.shape[-2]
        if end > self.capacity:
            raise ValueError("the capacity of the cache is exceeded")
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
        batch, n, width = x.shape
        parts = self.project(x).view(batch, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        query, key, value = parts
        if cache is None:
            positions = torch.arange(n, device=x.device)
            result = scaled_dot_product_attention(
                rotate(query, positions), rotate(key, positions), value, is_causal=True
            )
        else:
            start = cache.length
            positions = torch.arange(start, start + n, device=x.device)
            keys, values = cache.append(rotate(key, positions), value)
            scores = rotate(query, positions) @ keys.mT / math.sqrt(query.shape[-1])
            if n > 1:
                hidden = torch.ones(n, start + n, dtype=torch.bool, device=x.device).triu(start + 1)
                scores = scores.masked_fill(hidden, -math.inf)
            result = scores.softmax(-1) @ values
        return self.out(result.transpose(1, 2).reshape(batch, n, width))
