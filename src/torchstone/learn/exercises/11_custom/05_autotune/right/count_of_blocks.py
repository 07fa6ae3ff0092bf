# earns: solved lean
# the pruning as a slice of the sorted configs, whose length is counted
"""A kernel whose block size is found by trying."""

import triton
import triton.language as tl
from torch import Tensor

BLOCKS = (16, 32, 64, 128, 256)


def worth_trying(configs, named_args, **kwargs):
    """The configs whose block is not far larger than n; the smallest one always."""
    ordered = sorted(configs, key=lambda one: one.kwargs["block"])
    small = sum(block < 2 * named_args["n"] for block in BLOCKS)
    return ordered[: max(small, 1)]


@triton.autotune(
    configs=[triton.Config({"block": block}) for block in BLOCKS],
    key=["n"],
    restore_value=["y"],
    prune_configs_by={"early_config_prune": worth_trying},
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
    if n == 0:
        return y

    def programs(meta):
        return (1 + (n - 1) // meta["block"],)

    axpy_kernel[programs](x, y, a, n)
    return y
