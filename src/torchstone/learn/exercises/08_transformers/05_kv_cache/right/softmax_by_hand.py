# earns: solved lean
# plain softmax with baddbmm-free matmuls instead of the fused attention; one path with and one without a cache
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
        self.length = 0
        self.capacity = capacity
        shape = (batch, heads, capacity, width)
        self._rooms = [torch.zeros(shape, dtype=dtype, device=device) for _ in range(2)]

    def append(self, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        start, stop = self.length, self.length + key.shape[-2]
        if stop > self.capacity:
            raise ValueError(f"no room: capacity is {self.capacity}, needed are {stop}")
        views = []
        for room, part in zip(self._rooms, (key, value)):
            room[..., start:stop, :] = part
            views.append(room[..., :stop, :])
        self.length = stop
        return views[0], views[1]


class SelfAttention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor, cache: KVCache | None = None) -> Tensor:
        batch, n, width = x.shape
        start = cache.length if cache is not None else 0
        parts = self.project(x).view(batch, n, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        query, key, value = parts[0], parts[1], parts[2]
        own = torch.arange(start, start + n, device=x.device)
        query = rotate(query, own)
        key = rotate(key, own)
        if cache is not None:
            key, value = cache.append(key, value)
        scores = torch.matmul(query, key.transpose(2, 3)) * (query.shape[-1] ** -0.5)
        everyone = torch.arange(start + n, device=x.device)
        scores = scores.masked_fill(everyone.unsqueeze(0) > own.unsqueeze(1), -torch.inf)
        mixed = torch.matmul(torch.softmax(scores, -1), value)
        return self.out(mixed.permute(0, 2, 1, 3).reshape(batch, n, width))
