"""PyTorch's own operator samples (OpInfo): the one place that touches this private API.

They ship in the wheel, under `torch.testing._internal`, and promise nothing: what is used here is checked once, so that
a torch that has moved it is refused in a sentence. What else is known of them, all met in practice: six ops return
uninitialised memory; decompositions are unique up to a sign; `as_strided.partial_views` reads beyond its tensor, and
the jiterator compiles for CUDA alone.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import torch

from torchstone.errors import UserError
from torchstone.ops.operators import Answer, Operator, Sample, Sampler

MODULE = "torch.testing._internal.common_methods_invocations"
USED = ("name", "variant_test_name", "aten_name", "op", "sample_inputs", "supported_dtypes", "supports_autograd")
UNINITIALISED = ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided")
UP_TO_A_SIGN = (
    "svd",
    "linalg.svd",
    "linalg.eig",
    "linalg.eigh",
    "linalg.qr",
    "qr",
    "geqrf",
    "svd_lowrank",
    "pca_lowrank",
    "symeig",
)
TIES = ("sort", "argsort", "msort", "topk", "kthvalue", "median", "nanmedian", "mode", "argmax", "argmin", "cummax")
TIES_TOO = ("cummin", "max", "min", "aminmax", "nn.functional.max_pool2d", "nn.functional.adaptive_max_pool2d")
INVALID = (("as_strided", "partial_views"), ("as_strided_copy", "partial_views"))
SEEDING = "wrapper_set_seed"
"""What sets a seed of its own before an operator that draws: another seed of ours changes nothing."""
CUDA_ALONE = "jiterator"
PYTHON_ONLY = ("masked.", "sparse.", "signal.")
"""Functions of Python, whose last name may be another operator's."""
OTHER_NAMES = {
    "nn.functional.cross_entropy": "cross_entropy_loss",
    "nn.functional.unfold": "im2col",
    "nn.functional.fold": "col2im",
    "nn.functional.softmin": "softmax",
    "nn.functional.grid_sample": "grid_sampler",
    "nn.functional.interpolate": "upsample",
}


@cache
def opinfo_operators() -> tuple[Operator, ...]:
    """All that torch has samples of."""
    return tuple(_operator(info) for info in _database() if _is_valid(info))


def _database() -> list[Any]:
    try:
        from torch.testing._internal.common_methods_invocations import op_db
    except ImportError as error:
        hint = "install what torch's own tests need: pip install expecttest numpy"
        raise UserError(f"torch's operator samples cannot be imported: {error}", hint) from None
    missing = [name for name in USED if not op_db or not hasattr(op_db[0], name)]
    if missing:
        raise UserError(
            f"torch {torch.__version__} keeps its operator samples in another form: no {', '.join(missing)}",
            "upgrade torchstone, or use torch 2.10 to 2.15",
        )
    return list(op_db)


def _is_valid(info: Any) -> bool:
    return (info.name, info.variant_test_name) not in INVALID and not info.name.startswith(CUDA_ALONE)


def _operator(info: Any) -> Operator:
    gradient_dtypes = info.supported_backward_dtypes("cpu") if info.supports_autograd else ()
    return Operator(
        name=info.name,
        variant=info.variant_test_name,
        aten=f"aten::{_aten_name(info)}",
        call=info.op,
        sampler=_sampler(info),
        dtypes=frozenset(info.supported_dtypes("cpu")),
        gradient_dtypes=frozenset(gradient_dtypes),
        answer=_answer(info),
    )


def _answer(info: Any) -> Answer:
    name = info.name
    if SEEDING in getattr(getattr(info.op, "__code__", None), "co_names", ()):
        return "seeded"
    if name in UNINITIALISED:
        return "uninitialised"
    if name in UP_TO_A_SIGN:
        return "up to a sign"
    return "ties" if name in TIES or name in TIES_TOO else "unique"


def _aten_name(info: Any) -> str:
    if info.name.startswith(PYTHON_ONLY):
        return str(info.name.replace(".", "_"))
    last = info.name.rpartition(".")[2]
    spelled = (OTHER_NAMES.get(info.name), info.aten_name, last, info.name.replace(".", "_"))
    found = (name for name in spelled if name and "." not in name and hasattr(torch.ops.aten, name))
    return next(found, OTHER_NAMES.get(info.name) or last)


def _sampler(info: Any) -> Sampler:
    def sample(dtype: torch.dtype, wants_gradient: bool) -> Iterator[Sample]:
        for one in info.sample_inputs("cpu", dtype, requires_grad=wants_gradient):
            yield Sample((one.input, *one.args), dict(one.kwargs), one.output_process_fn_grad)

    return sample
