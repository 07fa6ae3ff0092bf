# earns: solved lean
# a grid of one axis, addresses that move, dot with acc
"""A matrix product in tiles, with Triton: a grid of one axis, and tiles of addresses that move along k."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 16


@triton.jit
def matmul_kernel(a, b, c, m, n, k, a0, a1, b0, b1, c0, c1, across, block: tl.constexpr):
    """`across` is how many tiles lie beside each other; x0 and x1 are the strides of x."""
    down = tl.program_id(0) // across
    right = tl.program_id(0) % across
    side = tl.arange(0, block)
    i = down * block + side
    j = right * block + side
    from_a = a + i[:, None] * a0 + side[None, :] * a1
    from_b = b + side[:, None] * b0 + j[None, :] * b1
    row_ok = i[:, None] < m
    column_ok = j[None, :] < n
    sums = tl.zeros((block, block), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, block)):
        left = k - step * block
        tile_a = tl.load(from_a, mask=row_ok & (side[None, :] < left), other=0.0)
        tile_b = tl.load(from_b, mask=column_ok & (side[:, None] < left), other=0.0)
        sums = tl.dot(tile_a, tile_b, acc=sums, input_precision="ieee")
        from_a += block * a1
        from_b += block * b0
    tl.store(c + i[:, None] * c0 + j[None, :] * c1, sums.to(c.dtype.element_ty), mask=row_ok & column_ok)


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """a @ b."""
    m, n = a.size(0), b.size(1)
    product = a.new_empty((m, n))
    across, tiles = triton.cdiv(n, BLOCK), triton.cdiv(m, BLOCK) * triton.cdiv(n, BLOCK)
    if not tiles:
        return product
    matmul_kernel[tiles,](
        a, b, product, m, n, a.size(1), *a.stride(), *b.stride(), *product.stride(), across, block=BLOCK
    )
    return product
