# earns: solved lean
import torch
import triton
import triton.language as tl

kept = {}


def remember(arguments, reset_only=False):
    if not reset_only:
        kept["y"] = arguments["y"].clone()


def put_back(arguments, exception):
    arguments["y"].copy_(kept.pop("y"))


def small_enough(configs, named, **kwargs):
    smallest = min(c.kwargs["block"] for c in configs)
    return [c for c in configs if c.kwargs["block"] < 2 * named["n"] or c.kwargs["block"] == smallest]


@triton.autotune(
    [triton.Config({"block": 2**k}, num_warps=4) for k in range(8, 3, -1)],
    key=["n"],
    pre_hook=remember,
    post_hook=put_back,
    prune_configs_by={"early_config_prune": small_enough},
)
@triton.jit
def axpy_kernel(x, y, a, n, block: tl.constexpr):
    start = tl.program_id(0) * block
    i = start + tl.arange(0, block)
    tl.store(y + i, tl.load(y + i, i < n, 0.0) + tl.load(x + i, i < n, 0.0) * a, i < n)


def add_scaled_(y, x, a):
    n = y.numel()
    if n == 0:
        return y

    def grid(meta):
        return ((n + meta["block"] - 1) // meta["block"],)

    axpy_kernel[grid](x, y, a, n)
    return y
