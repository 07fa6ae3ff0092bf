# earns: solved lean
# configs cut off by their order, a named grid function, keyword arguments
"""A kernel whose block size is found by trying."""

from functools import partial

import triton
import triton.language as tl
from torch import Tensor

BLOCKS = (16, 32, 64, 128, 256)
CONFIGS = list(map(lambda block: triton.Config(kwargs=dict(block=block)), BLOCKS))


def worth_trying(configs, named_args, **others):
    """The smallest block, and every one below twice the size."""
    smallest, *larger = sorted(configs, key=lambda config: config.kwargs["block"])
    n = int(named_args["n"])
    return [smallest, *filter(lambda config: config.kwargs["block"] < n + n, larger)]


def programs(n, meta):
    """As many as it takes for n numbers, and no more."""
    return (len(range(0, n, meta["block"])),)


@triton.autotune(CONFIGS, ["n"], restore_value=("y",), prune_configs_by={"early_config_prune": worth_trying})
@triton.jit
def axpy_kernel(x, y, a, n, block: tl.constexpr):
    """y += a * x for n numbers, `block` in each program."""
    first = tl.program_id(axis=0) * block
    place = first + tl.arange(0, block)
    real = place < n
    old = tl.load(y + place, mask=real, other=0.0)
    add = tl.load(x + place, mask=real, other=0.0)
    tl.store(y + place, old + a * add, mask=real)


def add_scaled_(y: Tensor, x: Tensor, a: float) -> Tensor:
    """y ← y + a · x, in place."""
    n = y.numel()
    if n == 0:
        return y
    axpy_kernel[partial(programs, n)](x, y, a, n)
    return y
