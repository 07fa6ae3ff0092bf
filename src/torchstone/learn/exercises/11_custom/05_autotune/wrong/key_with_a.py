# rejected by: no_trial_is_wasted: a is no size
# "never twice for one n, whatever a is": a new factor is tuned again
"""A kernel whose block size is found by trying."""

import triton
import triton.language as tl
from torch import Tensor

BLOCKS = (16, 32, 64, 128, 256)


def worth_trying(configs, named_args, **kwargs):
    """The configs whose block is not far larger than n; the smallest one always."""
    n = named_args["n"]
    return [one for one in configs if one.kwargs["block"] < 2 * n or one.kwargs["block"] == BLOCKS[0]]


@triton.autotune(
    configs=[triton.Config({"block": block}) for block in BLOCKS],
    key=["n", "a"],
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
    if n:
        axpy_kernel[lambda meta: (triton.cdiv(n, meta["block"]),)](x, y, a, n)
    return y
