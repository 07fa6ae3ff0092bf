# rejected by: cache_keeps_what_came: ValueError: the capacity of the cache is exhausted
# n positions that just fill the room raise the error too
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
        self.room = torch.empty(2, batch, heads, capacity, width, dtype=dtype, device=device)

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        """Write (batch, heads, n, width) behind what is there; returns views of all keys and values so far."""
        n, free = key.shape[-2], self.room.shape[-2] - self.length
        if n >= free:
            raise ValueError("the capacity of the cache is exhausted")
        for place, new in zip(self.room.narrow(3, self.length, n), (key, value)):
            place.copy_(new)
        self.length += n
        keys, values = self.room.narrow(3, 0, self.length).unbind(0)
        return keys, values


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
        known = cache.length if cache else 0
        heads = self.project(x).view(batch, n, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        positions = known + torch.arange(n, device=x.device)
        turned = rotate(heads[:2], positions)
        query, key, value = turned[0], turned[1], heads[2]
        if cache is not None:
            key, value = cache.append(key, value)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        later = torch.arange(key.shape[2], device=x.device) > positions[:, None]
        weights = scores.masked_fill(later, -torch.inf).softmax(-1)
        return self.out((weights @ value).transpose(1, 2).reshape(batch, n, width))
