# rejected by: sums_are_right: is the fastest: is the grid made for
# each trial of a config adds to y once more, nothing puts it back
"""A kernel whose block size is found by trying."""

from typing import Any

import triton
import triton.language as tl
from torch import Tensor

BLOCKS = (16, 32, 64, 128, 256)


def prune(configs: list[triton.Config], arguments: dict[str, Any], **others: Any) -> list[triton.Config]:
    """The configs whose block is not far larger than n, the smallest one in any case."""
    n = arguments["n"]
    return [config for config in configs if config.kwargs["block"] < 2 * n or config.kwargs["block"] == BLOCKS[0]]


@triton.autotune(
    configs=[triton.Config({"block": block}) for block in BLOCKS],
    key=["n"],
    prune_configs_by={"early_config_prune": prune},
)
@triton.jit
def axpy_kernel(x, y, a, n, block: tl.constexpr):
    """y += a * x for n numbers, `block` in each program."""
    places = tl.program_id(0) * block + tl.arange(0, block)
    inside = places < n
    total = tl.load(y + places, mask=inside) + a * tl.load(x + places, mask=inside)
    tl.store(y + places, total, mask=inside)


def add_scaled_(y: Tensor, x: Tensor, a: float) -> Tensor:
    """y ← y + a · x, in place."""
    n = y.numel()
    if n > 0:
        axpy_kernel[lambda meta: (triton.cdiv(n, meta["block"]),)](x, y, a, n)
    return y
