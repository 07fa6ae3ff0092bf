# rejected by: fastest_is_launched: key names what the choice depends on: every n has a choice
# choices are forgotten when another n comes; 'never twice for one n'
"""A kernel whose block size is found by trying."""

import triton
import triton.language as tl
from torch import Tensor

_last = [0]
BLOCKS = (16, 32, 64, 128, 256)


def _leave_out_idlers(configs, arguments, **options):
    """The configs whose block is below 2n; the smallest one always."""
    n = arguments["n"]
    return [config for config in configs if config.kwargs["block"] < 2 * n] or configs[:1]


@triton.autotune(
    configs=[triton.Config({"block": block}) for block in BLOCKS],
    key=["n"],
    # A trial adds to y as any launch does: each one starts from what y was.
    restore_value=["y"],
    prune_configs_by={"early_config_prune": _leave_out_idlers},
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
    if n != _last[0]:
        axpy_kernel.cache.clear()
        _last[0] = n
    if n:  # a grid of no programs cannot be launched
        axpy_kernel[lambda chosen: (triton.cdiv(n, chosen["block"]),)](x, y, a, n)
    return y
