# rejected by: no_trial_is_wasted: a is no size
# right results, but every new a is tuned for again; breaks 'never twice for one n, whatever a is'
"""A kernel whose block size is found by trying."""

from typing import Any

import triton
import triton.language as tl
from torch import Tensor

BLOCKS = (16, 32, 64, 128, 256)


def leave_out(configs: list[triton.Config], named_args: dict[str, Any], **kwargs: Any) -> list[triton.Config]:
    """Blocks of 2n or more only idle; the smallest always stays."""
    ordered = sorted(configs, key=lambda config: config.kwargs["block"])
    return ordered[:1] + [config for config in ordered[1:] if config.kwargs["block"] < 2 * named_args["n"]]


@triton.autotune(
    configs=[triton.Config({"block": block}) for block in BLOCKS],
    key=["n", "a"],
    restore_value=["y"],
    prune_configs_by={"early_config_prune": leave_out},
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
