# earns: solved lean
import triton
import triton.language as tl


def _prune(configs, nargs, **kwargs):
    n = {**nargs, **kwargs}["n"]
    fit = [c for c in configs if c.kwargs["block"] < 2 * n]
    return fit if fit else [min(configs, key=lambda c: c.kwargs["block"])]


@triton.autotune(
    configs=[
        triton.Config({"block": 16}),
        triton.Config({"block": 32}),
        triton.Config({"block": 64}),
        triton.Config({"block": 128}),
        triton.Config({"block": 256}),
    ],
    key=["n"],
    restore_value=["y"],
    prune_configs_by={"early_config_prune": _prune},
)
@triton.jit
def axpy_kernel(x, y, a, n, block: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * block + tl.arange(0, block)
    mask = offsets < n
    value = tl.load(x + offsets, mask=mask, other=0.0)
    tl.store(y + offsets, value * a + tl.load(y + offsets, mask=mask, other=0.0), mask=mask)


def add_scaled_(y, x, a):
    if y.numel() > 0:
        axpy_kernel[lambda meta: (triton.cdiv(y.numel(), meta["block"]), 1, 1)](x=x, y=y, a=a, n=y.numel())
    return y
