"""Mixed precision on the device: which ops `torch.autocast` runs in which precision.

PyTorch has rules for each of its own devices and none for an out-of-tree one. These are the lists of
`ATen/autocast_mode.h` (torch 2.13), which all accelerators share.
"""

from typing import Any

import torch

from torchstone.pretend.boxed import Kernel, aten_operator
from torchstone.pretend.machine import machine

LOWER_PRECISION = [
    "_convolution.deprecated",
    "_convolution",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d.input",
    "conv_transpose3d.input",
    "convolution",
    "prelu",
    "addmm",
    "addmv",
    "addr",
    "matmul",
    "einsum",
    "mm",
    "mv",
    "linalg_vecdot",
    "linear",
    "addbmm",
    "baddbmm",
    "bmm",
    "chain_matmul",
    "linalg_multi_dot",
    "_thnn_fused_lstm_cell",
    "_thnn_fused_gru_cell",
    "lstm_cell",
    "gru_cell",
    "rnn_tanh_cell",
    "rnn_relu_cell",
    "scaled_dot_product_attention",
]
FLOAT32 = [
    "acos",
    "asin",
    "cosh",
    "erfinv",
    "exp",
    "expm1",
    "log",
    "log10",
    "log2",
    "log1p",
    "reciprocal",
    "rsqrt",
    "sinh",
    "tan",
    "pow.Tensor_Scalar",
    "pow.Tensor_Tensor",
    "pow.Scalar",
    "softplus",
    "layer_norm",
    "native_layer_norm",
    "rms_norm",
    "group_norm",
    "frobenius_norm.dim",
    "nuclear_norm",
    "nuclear_norm.dim",
    "cosine_similarity",
    "poisson_nll_loss",
    "cosine_embedding_loss",
    "nll_loss",
    "nll_loss2d",
    "hinge_embedding_loss",
    "kl_div",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "mse_loss",
    "margin_ranking_loss",
    "multilabel_margin_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
    "multi_margin_loss",
    "binary_cross_entropy_with_logits",
    "dist",
    "pdist",
    "cdist",
    "renorm",
    "logsumexp",
    "prod",
    "prod.dim_int",
    "softmax.int",
    "log_softmax.int",
    "cumprod",
    "cumsum",
    "linalg_vector_norm",
    "linalg_matrix_norm",
    "linalg_matrix_norm.str_ord",
    "sum",
    "sum.dim_IntList",
    "norm.Scalar",
    "norm.ScalarOpt_dim",
]
WIDEST = [
    "addcdiv",
    "addcmul",
    "atan2",
    "bilinear",
    "cross",
    "dot",
    "vdot",
    "grid_sampler",
    "index_put",
    "tensordot",
    "scatter_add",
]

AUTOCAST_KEY = "AutocastPrivateUse1"
_OUTSIDE_AUTOCAST = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, AUTOCAST_KEY))


def autocast_kernels() -> dict[str, Kernel]:
    """The kernels of the autocast key, by op."""
    kernels = {name: _casting_kernel(name, _lower_precision) for name in LOWER_PRECISION}
    kernels |= {name: _casting_kernel(name, _float32) for name in FLOAT32}
    return kernels | {name: _casting_kernel(name, _widest) for name in WIDEST}


def _casting_kernel(name: str, choose: Any) -> Kernel:
    operator = aten_operator(name)

    def kernel(*args: Any, **kwargs: Any) -> Any:
        with torch._C._ExcludeDispatchKeyGuard(_OUTSIDE_AUTOCAST):
            dtype = choose([*_floating(args), *_floating(tuple(kwargs.values()))])
            cast_kwargs = {key: _cast(value, dtype) for key, value in kwargs.items()}
            return operator(*_cast(args, dtype), **cast_kwargs)

    return kernel


def _lower_precision(tensors: list[torch.Tensor]) -> torch.dtype:
    return torch.get_autocast_dtype(machine.name)


def _float32(tensors: list[torch.Tensor]) -> torch.dtype:
    return torch.float32


def _widest(tensors: list[torch.Tensor]) -> torch.dtype:
    lower = torch.get_autocast_dtype(machine.name)
    return torch.float32 if any(tensor.dtype is torch.float32 for tensor in tensors) else lower


def _floating(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value] if _is_eligible(value) else []
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _floating(item)]
    return []


def _is_eligible(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() and tensor.dtype is not torch.float64 and not tensor.is_cpu


def _cast(value: Any, dtype: torch.dtype) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to(dtype) if _is_eligible(value) else value
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(item, dtype) for item in value)
    return value
