# earns: solved lean
# one tensor for keys and values, narrow and copy_, softmax written out
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
        n, capacity = key.shape[2], self.room.shape[3]
        if n > capacity - self.length:
            raise ValueError(f"no room for {n} more positions: the capacity is {capacity}, {self.length} are filled")
        free = self.room.narrow(3, self.length, n)
        free[0].copy_(key)
        free[1].copy_(value)
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
        before = cache.length if cache is not None else 0
        batch, n, width = x.shape
        query, key, value = self.project(x).view(batch, n, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        own = torch.arange(n, device=x.device) + before
        query, key = rotate(query, own), rotate(key, own)
        if cache is not None:
            key, value = cache.append(key, value)
        scores = (query * (width // self.heads) ** -0.5) @ key.transpose(2, 3)
        later = torch.arange(before + n, device=x.device) > own[:, None]
        weights = scores.masked_fill(later, float("-inf")).softmax(dim=-1)
        return self.out((weights @ value).permute(0, 2, 1, 3).reshape(batch, n, width))
