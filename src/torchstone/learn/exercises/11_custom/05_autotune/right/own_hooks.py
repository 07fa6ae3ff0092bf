# earns: solved lean
# pre_hook and post_hook of its own put y back, the smallest config as a fallback
"""A kernel whose block size is found by trying; the caller's numbers are put back by hooks of our own."""

import functools

import triton
import triton.language as tl
from torch import Tensor

BLOCKS = (16, 32, 64, 128, 256)
SAVED: list[Tensor] = []


def before(arguments: dict, reset_only: bool = False) -> None:
    """Before each trial: remember y."""
    if not reset_only:
        SAVED.append(arguments["y"].clone())


def after(arguments: dict, exception: Exception | None) -> None:
    """After each trial: y as it was."""
    arguments["y"].copy_(SAVED.pop())


def small_enough(configs, named_args, **_):
    kept = list(filter(lambda config: config.kwargs["block"] < 2 * named_args["n"], configs))
    return kept or [min(configs, key=lambda config: config.kwargs["block"])]


def programs(n, meta):
    return (-(-n // meta["block"]),)


@triton.jit
def axpy_kernel(x, y, a, n, block: tl.constexpr):
    """y += a * x for n numbers, `block` in each program."""
    start = tl.program_id(0) * block
    offsets = start + tl.arange(0, block)
    old = tl.load(y + offsets, mask=offsets < n, other=0.0)
    more = tl.load(x + offsets, mask=offsets < n, other=0.0)
    tl.store(y + offsets, more * a + old, mask=offsets < n)


axpy_kernel = triton.autotune(
    [triton.Config(kwargs=dict(block=block)) for block in reversed(BLOCKS)],
    ["n"],
    prune_configs_by=dict(early_config_prune=small_enough),
    pre_hook=before,
    post_hook=after,
)(axpy_kernel)


def add_scaled_(y: Tensor, x: Tensor, a: float) -> Tensor:
    """y ← y + a · x, in place."""
    if y.numel() == 0:
        return y
    n = y.numel()
    axpy_kernel[functools.partial(programs, n)](x, y, a, n)
    return y
