# rejected by: no_trial_is_wasted: early_config_prune returns the configs whose block is below
# a block of exactly 2n is tried; 'those whose block is 2n or more are left out before anything is timed'
"""A kernel whose block size is found by trying."""

from typing import Any

import triton
import triton.language as tl
from torch import Tensor

BLOCKS = (16, 32, 64, 128, 256)


def leave_out(configs: list[triton.Config], named_args: dict[str, Any], **_: Any) -> list[triton.Config]:
    """Those whose block is below 2n, and the smallest in any case."""
    n = named_args["n"]
    smallest, *others = sorted(configs, key=lambda config: config.kwargs["block"])
    return [smallest, *(config for config in others if config.kwargs["block"] <= 2 * n)]


TUNING = {
    "configs": [triton.Config({"block": block}) for block in BLOCKS],
    "key": ["n"],
    "restore_value": ["y"],
    "prune_configs_by": {"early_config_prune": leave_out},
}


@triton.autotune(**TUNING)
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

    def grid(meta: dict[str, Any]) -> tuple[int]:
        return (triton.cdiv(n, meta["block"]),)

    if n:
        axpy_kernel[grid](x, y, a, n)
    return y
