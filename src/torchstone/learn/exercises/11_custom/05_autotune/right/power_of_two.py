# earns: solved lean
# pruning by the next power of two of n, configs and grid as named functions
"""A kernel whose block size is found by trying."""

import triton
import triton.language as tl
from torch import Tensor

BLOCKS = (16, 32, 64, 128, 256)


def fitting(configs, named_args, **_):
    """All configs up to the first block that holds n numbers."""
    enough = max(triton.next_power_of_2(named_args["n"]), min(BLOCKS))
    return list(filter(lambda config: config.kwargs["block"] <= enough, configs))


def grid(arguments):
    """As many programs as blocks."""
    return (triton.cdiv(arguments["n"], arguments["block"]), 1, 1)


tuned = triton.autotune(
    [triton.Config(kwargs={"block": 16 << i}) for i in range(5)],
    ["n"],
    prune_configs_by={"early_config_prune": fitting},
    restore_value=["y"],
)


@tuned
@triton.jit
def axpy_kernel(x, y, a, n, block: tl.constexpr):
    """y += a * x for n numbers, `block` in each program."""
    begin = tl.program_id(0) * block
    places = begin + tl.arange(0, block)
    inside = places < n
    old = tl.load(y + places, mask=inside, other=0.0)
    new = tl.load(x + places, mask=inside, other=0.0)
    tl.store(y + places, old + a * new, mask=inside)


def add_scaled_(y: Tensor, x: Tensor, a: float) -> Tensor:
    """y ← y + a · x, in place."""
    if y.numel() > 0:
        axpy_kernel[grid](x, y, a, y.numel())
    return y
