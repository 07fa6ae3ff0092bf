# earns: solved lean
# autotune called as a function, a grid that reads n from the meta-parameters
"""A kernel whose block size is found by trying."""

import triton
import triton.language as tl
from torch import Tensor

SMALLEST = 16


def worth_trying(block: int, n: int) -> bool:
    return block == SMALLEST or not block >= 2 * n


class Pruner:
    def __call__(self, configs, named_args, **meta):
        return list(filter(lambda config: worth_trying(config.all_kwargs()["block"], named_args["n"]), configs))


@triton.jit
def _axpy(x, y, a, n, block: tl.constexpr):
    first = tl.program_id(axis=0) * block
    for_me = first + tl.arange(0, block)
    mask = for_me < n
    old = tl.load(y + for_me, mask=mask, other=0.0)
    more = tl.load(x + for_me, mask=mask, other=0.0)
    tl.store(y + for_me, old + more * a, mask=mask)


tune = triton.autotune(
    [triton.Config(kwargs={"block": SMALLEST << power}) for power in range(5)],
    ["n"],
    prune_configs_by={"early_config_prune": Pruner()},
    restore_value=["y"],
)
axpy_kernel = tune(_axpy)


def _grid(meta):
    return ((meta["n"] + meta["block"] - 1) // meta["block"],)


def add_scaled_(y: Tensor, x: Tensor, a: float) -> Tensor:
    """y ← y + a · x, in place."""
    if y.numel() == 0:
        return y
    axpy_kernel[_grid](x, y, a, y.numel())
    return y
