# rejected by: too_much_is_refused: Look whether the new positions fit before anything is written
# length has grown already when it raises; breaks 'and the cache stays as it was' (catch the ValueError, then append
# one that fits)
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
        self.room = torch.zeros(2, batch, heads, capacity, width, dtype=dtype, device=device)

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Write (batch, heads, n, width) behind what is there; returns views of all keys and values so far."""
        n, capacity = key.shape[2], self.room.shape[3]
        self.length += n
        if self.length > capacity:
            raise ValueError(f"{n} more positions do not fit: {self.length} of the capacity {capacity} are filled")
        place = self.room.narrow(3, self.length - n, n)
        place[0].copy_(key)
        place[1].copy_(value)
        filled = self.room.narrow(3, 0, self.length)
        return filled[0], filled[1]


class SelfAttention(nn.Module):
    """Causal attention of one text to itself."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor, cache: KVCache | None = None) -> Tensor:
        """(batch, n, width) → (batch, n, width); with a cache, x continues the text that it holds."""
        before = 0 if cache is None else cache.length
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.project(x).chunk(3, -1)
        )
        places = torch.arange(before + x.shape[1], device=x.device)
        mine = places[before:]
        query, key = rotate(query, mine), rotate(key, mine)
        if cache is not None:
            key, value = cache.append(key, value)
        result = scaled_dot_product_attention(query, key, value, attn_mask=places <= mine[:, None])
        return self.out(result.transpose(1, 2).flatten(2))
