# earns: solved lean
"""A matrix product in tiles, with Triton."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 16


@triton.jit
def tile_kernel(x, y, z, height, width, depth, x0, x1, y0, y1, z0, z1, SIDE: tl.constexpr):
    lane = tl.arange(0, SIDE)
    column = tl.program_id(0) * SIDE + lane
    row = tl.program_id(1) * SIDE + lane
    row_ok = (row < height)[:, None]
    column_ok = (column < width)[None, :]
    xs = x + row[:, None] * x0 + lane[None, :] * x1
    ys = y + lane[:, None] * y0 + column[None, :] * y1
    acc = tl.zeros((SIDE, SIDE), tl.float32)
    left = depth
    while left > 0:
        p = tl.load(xs, mask=row_ok & (lane < left)[None, :], other=0.0)
        q = tl.load(ys, mask=(lane < left)[:, None] & column_ok, other=0.0)
        acc = tl.dot(p, q, acc=acc, input_precision="ieee")
        xs += SIDE * x1
        ys += SIDE * y0
        left -= SIDE
    tl.store(z + row[:, None] * z0 + column[None, :] * z1, acc.to(z.dtype.element_ty), mask=row_ok & column_ok)


def matmul(a: Tensor, b: Tensor) -> Tensor:
    m, k = a.size()
    n = b.size(1)
    out = a.new_zeros((m, n))
    if m and n and k:
        tile_kernel[(-(-n // BLOCK), -(-m // BLOCK))](
            a, b, out, m, n, k, a.stride(0), a.stride(1), b.stride(0), b.stride(1), n, 1, BLOCK
        )
    return out
