"""What the kernels of MPS refuse because of sizes, dtypes and arguments, read in PyTorch's sources of 2.13.

Each is a predicate on one call, and gives the kernel's own words. The file that they stand in is named beside them, in
ATen/native/mps/operations/ where no other folder is named. What another check of torch refuses before, on every device
alike, is left out.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

Explain = Callable[[Any, Any], str | None]
"""Of a call with its arguments: what the kernel says, or None."""
SIZES_HINT = "choose sizes that it takes, or move its tensors to the CPU for this call: .cpu()"
CPU_HINT = "move its tensors to the CPU for this call: .cpu()"
HALF = (torch.float16, torch.bfloat16)
LARGEST_INT32 = 2**31 - 1
LARGEST_UINT32 = 2**32 - 1


class Rule(NamedTuple):
    """One refusal."""

    explain: Explain
    hint: str
    falls_back: bool = False
    """Whether the kernel itself goes to the CPU, instead of raising."""


MIXED_POOL = (
    "Adaptive pool MPS: Input height and width must both be greater than, or equal to, or lesser than "
    "output height and width"
)
UNEVEN_POOL = "Adaptive pool MPS: input sizes must be divisible by output sizes"
UNEVEN_GROWTH = "Adaptive pool MPS: output sizes must be divisible by input sizes"
"""AdaptivePooling.mm (set_kernel_params); pytorch#96056. No fallback: the kernel raises, not the dispatcher."""
NO_STRIDE = "stride should be greater than zero"
TOO_SMALL = "Output size is too small"
"""ATen/native/Pool.h (pool2d_shape_check), of the plain pool that an adaptive one becomes."""


class Window(NamedTuple):
    """Of the plain pool that set_kernel_params makes of an adaptive one, along one axis."""

    have: int
    stride: int
    kernel: int

    @property
    def output(self) -> int:
        return (self.have - self.kernel) // self.stride + 1


def _explain_average_pool(args: Any, kwargs: Any) -> str | None:
    pairs = _pair_sizes(args)
    if not pairs or _is_mixed(pairs):
        return MIXED_POOL if pairs else None
    if _shrinks(pairs):
        return None if all(have % want == 0 for have, want in pairs) else UNEVEN_POOL
    return None if all(want % have == 0 for have, want in pairs) else UNEVEN_GROWTH


def _explain_max_pool(args: Any, kwargs: Any) -> str | None:
    """It asks for no even sizes, but hands what it computes to a plain pool, which checks it."""
    pairs = _pair_sizes(args)
    if not pairs or _is_mixed(pairs):
        return MIXED_POOL if pairs else None
    windows = [_window(pair, _shrinks(pairs)) for pair in pairs]
    if any(one.stride == 0 for one in windows):
        return NO_STRIDE
    return TOO_SMALL if any(one.output < 1 for one in windows) else None


def _pair_sizes(args: Any) -> list[tuple[int, int]]:
    """Height and width that a pool is given and makes; none where one of them is 0."""
    tensor, output = args[0], args[1]
    pairs = [(int(have), int(want)) for have, want in zip(tensor.shape[-2:], output, strict=True)]
    return [] if any(0 in pair for pair in pairs) else pairs


def _is_mixed(pairs: list[tuple[int, int]]) -> bool:
    return not (all(have >= want for have, want in pairs) or all(have <= want for have, want in pairs))


def _shrinks(pairs: list[tuple[int, int]]) -> bool:
    """The height alone decides, also of a row of equal height that grows in width (adaptive_avg_pool1d)."""
    have, want = pairs[0]
    return have >= want


def _window(pair: tuple[int, int], shrinks: bool) -> Window:
    large, small = pair if shrinks else pair[::-1]
    stride = large // small
    return Window(pair[0], stride, large - (small - 1) * stride)


NO_DROPOUT = "scaled_dot_product_attention for MPS does not support dropout."
"""Attention.mm. ATen/native/transformers/attention.cpp comes to it only where nothing is to be differentiated."""
DROPOUT_POSITION = 4
DROPOUT_HINT = "pass dropout_p=self.dropout if self.training else 0.0"


def explain_attention(args: Any, kwargs: Any) -> str | None:
    """Of the function itself: its operator never arrives, since it is made of others."""
    given = args[DROPOUT_POSITION] if len(args) > DROPOUT_POSITION else kwargs.get("dropout_p", 0.0)
    tensors = [one for one in (*args[:3], *kwargs.values()) if isinstance(one, Tensor)]
    learns = torch.is_grad_enabled() and any(one.requires_grad for one in tensors)
    return NO_DROPOUT if given and not learns and any(one.device.type != "cpu" for one in tensors) else None


NO_HALF_3D = "ConvTranspose 3D with BF16 or FP16 types is not supported on MPS"
FLOATING_CONVOLUTION = "Convolution is supported only for Floating types"
"""Convolution.mm."""
TRANSPOSED_POSITION = 6
VOLUMES = 5
"""The dimensions of a batch of volumes."""


def _explain_convolution(args: Any, kwargs: Any) -> str | None:
    source = args[0]
    if _is_integral(source):
        return FLOATING_CONVOLUTION
    is_refused = args[TRANSPOSED_POSITION] and source.dim() == VOLUMES and source.dtype in HALF
    return NO_HALF_3D if is_refused else None


def _is_integral(tensor: Tensor) -> bool:
    return not tensor.is_floating_point() and not tensor.is_complex()


NO_INTEGERS = "MPS device does not support linear for non-float inputs"
"""Linear.mm."""
NO_INTEGRAL_OUTER = "MPS device does not support addr for non-float input"
"""LinearAlgebra.mm (addr_out_mps)."""


def _explain_linear(args: Any, kwargs: Any) -> str | None:
    return NO_INTEGERS if _is_integral(args[0]) else None


def _explain_outer(args: Any, kwargs: Any) -> str | None:
    return NO_INTEGRAL_OUTER if _is_integral(args[1]) else None


NO_COMPLEX_FACTORS = "linalg.lu_factor(): MPS doesn't support complex types."
ONLY_FLOATS = "linalg.lu_factor(): MPS only supports floats."
NO_COMPLEX_INVERSE = "linalg_inv: not supported for complex types yet!"
TRIANGULAR_FLOAT = "linalg.solve.triangular(); Only float is supported!"
INVERSE_OF_FLOAT = "cholesky_inverse: MPS only supports float type!"
QR_OF_FLOAT = "linalg_qr: MPS currently supports float32 only"
ONLY_SINGLE = {
    "linalg_lu_factor_ex": NO_COMPLEX_FACTORS,
    "linalg_lu": NO_COMPLEX_FACTORS,
    "_linalg_det": NO_COMPLEX_FACTORS,
    "_linalg_slogdet": NO_COMPLEX_FACTORS,
    "_linalg_solve_ex": ONLY_FLOATS,
    "linalg_inv_ex": NO_COMPLEX_INVERSE,
    "linalg_solve_triangular": TRIANGULAR_FLOAT,
    "triangular_solve": TRIANGULAR_FLOAT,
    "_cholesky_solve_helper": TRIANGULAR_FLOAT,
    "cholesky_inverse": INVERSE_OF_FLOAT,
}
"""LinearAlgebra.mm: operators that take float32 alone. The determinants and linalg_lu factorise by lu_factor_ex."""
NO_PIVOT = "linalg.lu_factor(): MPS doesn't allow pivot == False."
QR_ON_CPU = "linalg_qr: MPS implementation is currently limited to min(m,n) <= 512, falling back to CPU."
LARGEST_QR = 512


def _only_single(words: str) -> Explain:
    return lambda args, kwargs: None if args[0].dtype is torch.float32 else words


def _explain_factors(args: Any, kwargs: Any) -> str | None:
    if args[0].dtype is not torch.float32:
        return NO_COMPLEX_FACTORS
    return None if kwargs.get("pivot", True) else NO_PIVOT


def _explain_qr(args: Any, kwargs: Any) -> str | None:
    return None if args[0].dtype is torch.float32 else QR_OF_FLOAT


def _explain_large_qr(args: Any, kwargs: Any) -> str | None:
    matrix = args[0]
    return QR_ON_CPU if matrix.numel() and min(matrix.shape[-2:]) > LARGEST_QR else None


OTHER_SHAPE = "bernoulli_mps_: probability and self tensor should be of the same shape"
"""Distributions.mm."""


def _explain_bernoulli(args: Any, kwargs: Any) -> str | None:
    drawn, chance = args[0], args[1] if len(args) > 1 else None
    if not isinstance(chance, Tensor) or chance.shape == drawn.shape or chance.dim() == 0:
        return None
    return OTHER_SHAPE if drawn.numel() else None


NO_STUB = "DispatchStub: missing kernel for mps"
"""ATen/native/DispatchStub.cpp: kaiser_window is made of others, and of a kernel that no .mm file registers."""


def _explain_kaiser(args: Any, kwargs: Any) -> str | None:
    device = kwargs.get("device")
    is_there = device is not None and torch.device(device).type != "cpu"
    return NO_STUB if is_there and args[0] > 1 else None


NO_LONG = "index_reduce for MPS does not support torch.long dtype"
"""Indexing.mm."""
NO_KERNEL_FOR_LONG = "Failed to create function state object for: scatter_prod_…_long_…"
"""OperationUtils.mm; kernels/ScatterGather.metal makes kernels of int64 for sums and the ends of the range alone."""


def _explain_index_reduce(args: Any, kwargs: Any) -> str | None:
    return NO_LONG if args[0].dtype is torch.int64 else None


def _explain_scatter_reduce(args: Any, kwargs: Any) -> str | None:
    return NO_KERNEL_FOR_LONG if args[0].dtype is torch.int64 and args[4] == "prod" else None


LARGE_TABLE = "embedding_dense_backward_mps: tensor is larger than INT32_MAX"
"""Embedding.mm."""
LARGE_MASK = "masked_fill not supported for tensors of more than 2**32 elements"
LARGE_NONZERO = "nonzero is not supported for tensors with more than INT_MAX elements"
"""Indexing.mm."""
TABLE_HINT = "split the table over its columns: torch.cat([one(x) for one in self.parts], -1)"


def _explain_table(args: Any, kwargs: Any) -> str | None:
    gradient, indices, rows = args[0], args[1], args[2]
    elements = max(indices.numel(), rows) * gradient.shape[-1]
    return LARGE_TABLE if elements > LARGEST_INT32 else None


def _explain_mask(args: Any, kwargs: Any) -> str | None:
    return LARGE_MASK if args[0].numel() > LARGEST_UINT32 else None


def _explain_nonzero(args: Any, kwargs: Any) -> str | None:
    return LARGE_NONZERO if args[0].numel() >= LARGEST_INT32 else None


UNEVEN_PACK = "Expected N % 32 == 0 && K % 32 == 0 to be true, but got false."
"""Quantized.mm (_weight_int8pack_mm_mps); a TORCH_CHECK without words of its own."""
PACK = 32


def _explain_packed(args: Any, kwargs: Any) -> str | None:
    return UNEVEN_PACK if any(size % PACK for size in args[1].shape) else None


RULES: dict[str, tuple[Rule, ...]] = {
    "_adaptive_avg_pool2d": (Rule(_explain_average_pool, SIZES_HINT),),
    "adaptive_max_pool2d": (Rule(_explain_max_pool, SIZES_HINT),),
    "convolution": (Rule(_explain_convolution, ".float() before this call, and .to(x.dtype) after it"),),
    "linear": (Rule(_explain_linear, "give it tensors of a floating-point dtype: .float()"),),
    "addr": (Rule(_explain_outer, "torch.add(x, torch.outer(a, b)), which takes integers"),),
    **{name: (Rule(_only_single(words), CPU_HINT),) for name, words in ONLY_SINGLE.items()},
    "linalg_lu_factor_ex": (Rule(_explain_factors, CPU_HINT),),
    "linalg_lu": (Rule(_explain_factors, CPU_HINT),),
    "linalg_qr": (Rule(_explain_qr, CPU_HINT), Rule(_explain_large_qr, "", falls_back=True)),
    "bernoulli_": (Rule(_explain_bernoulli, "give it chances of its own shape: chance.expand_as(x)"),),
    "kaiser_window": (Rule(_explain_kaiser, "make it on the CPU: torch.kaiser_window(…).to(device)"),),
    "index_reduce": (Rule(_explain_index_reduce, "use int32: .int()"),),
    "index_reduce_": (Rule(_explain_index_reduce, "use int32: .int()"),),
    "scatter_reduce": (Rule(_explain_scatter_reduce, "use int32: .int()"),),
    "scatter_reduce_": (Rule(_explain_scatter_reduce, "use int32: .int()"),),
    "embedding_dense_backward": (Rule(_explain_table, TABLE_HINT),),
    "masked_fill": (Rule(_explain_mask, SIZES_HINT),),
    "masked_fill_": (Rule(_explain_mask, SIZES_HINT),),
    "nonzero": (Rule(_explain_nonzero, SIZES_HINT),),
    "_weight_int8pack_mm": (Rule(_explain_packed, SIZES_HINT),),
}
"""By the base name of the operator."""
