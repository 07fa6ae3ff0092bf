# earns: solved lean
# one tensor for keys and values together, narrow and copy_, mask by tril with an offset
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
    def __init__(
        self,
        batch: int,
        heads: int,
        capacity: int,
        width: int,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ) -> None:
        self.room = torch.zeros(2, batch, heads, capacity, width, dtype=dtype, device=device)
        self.length = 0

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        n, capacity = key.size(-2), self.room.size(-2)
        if n > capacity - self.length:
            raise ValueError(f"capacity {capacity} exceeded: {self.length} filled, {n} more asked for")
        for half, new in zip(self.room, (key, value)):
            half.narrow(-2, self.length, n).copy_(new)
        self.length += n
        keys, values = self.room.narrow(-2, 0, self.length)
        return keys, values


class SelfAttention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor, cache: KVCache | None = None) -> Tensor:
        """(batch, n, width) → (batch, n, width); with a cache, x continues the text that it holds."""
        n = x.shape[1]
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.project(x).chunk(3, -1)
        )
        past = cache.length if cache is not None else 0
        where = past + torch.arange(n, device=x.device)
        query, key = rotate(query, where), rotate(key, where)
        if cache is not None:
            key, value = cache.append(key, value)
        mask = torch.ones(n, past + n, dtype=torch.bool, device=x.device).tril(past)
        attended = scaled_dot_product_attention(query, key, value, attn_mask=mask)
        return self.out(attended.transpose(1, 2).flatten(2))
