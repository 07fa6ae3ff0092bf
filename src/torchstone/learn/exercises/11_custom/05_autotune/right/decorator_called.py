# earns: solved lean
# the decorator is called by hand, the grid is a partial function, the pruning a filter
"""A kernel whose block size is found by trying."""

from functools import partial

import triton
import triton.language as tl
from torch import Tensor

BLOCKS = (16, 32, 64, 128, 256)


def _prune(configs, named_args, **others):
    n = {**named_args, **others}["n"]
    smallest = min(configs, key=lambda config: config.kwargs["block"])
    return [smallest, *filter(lambda one: one is not smallest and one.kwargs["block"] // 2 < n, configs)]


@triton.jit
def _axpy(x, y, a, n, block: tl.constexpr):
    first = tl.program_id(0) * block
    places = first + tl.arange(0, block)
    old = tl.load(y + places, mask=places < n, other=0.0)
    tl.store(y + places, old + tl.load(x + places, mask=places < n, other=0.0) * a, mask=places < n)


axpy_kernel = triton.autotune(
    [triton.Config(kwargs=dict(block=block)) for block in BLOCKS],
    ["n"],
    prune_configs_by=dict(early_config_prune=_prune),
    restore_value=("y",),
)(_axpy)


def _grid(n, meta):
    return (-(-n // meta["block"]), 1, 1)


def add_scaled_(y: Tensor, x: Tensor, a: float) -> Tensor:
    """y ← y + a · x, in place."""
    if y.numel() > 0:
        axpy_kernel[partial(_grid, y.numel())](x, y, a, y.numel())
    return y
