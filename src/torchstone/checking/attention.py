"""Attention for which a program allows some kernels alone (`sdpa_kernel`): what a CUDA device says where none takes it.

By the checks of ATen/native/transformers/cuda/sdp_utils.cpp, as far as they hold for every device of the kind.
"""

from typing import Any

import torch
from torch import Tensor
from torch.backends import cuda as attention_kernels

OPERATOR = "aten::scaled_dot_product_attention"
FUNCTION = "nn.functional.scaled_dot_product_attention"
DEVICES = ("cuda", "rocm")
NO_KERNEL = "No available kernel. Aborting execution."
HALF = frozenset({torch.float16, torch.bfloat16})
SINGLE_OR_HALF = HALF | {torch.float32}
FLASH = "flash attention"
KERNELS = {FLASH: HALF, "memory-efficient attention": SINGLE_OR_HALF, "cuDNN's attention": HALF}
"""The dtypes that each takes; the one in plain operators (`math`) takes all."""
MASK_POSITION = 3


def refused_by_all(args: Any, kwargs: Any) -> str | None:
    """What to do where no kernel that is allowed now takes these tensors; None where one may."""
    query = args[0] if args else kwargs.get("query")
    is_allowed = _allowed()
    if is_allowed["math"] or not isinstance(query, Tensor):
        return None
    dtype, masked = _dtype_on_device(query), _mask_of(args, kwargs) is not None
    reasons = []
    for name, dtypes in KERNELS.items():
        if not is_allowed[name]:
            continue
        if dtype not in dtypes:
            reasons.append(
                f"{name} takes {_names(dtypes)}, not {_names([dtype])}: .to(torch.bfloat16) or allow another"
            )
        elif masked and name == FLASH:
            reasons.append("flash attention takes no attn_mask: do without it (is_causal=True), or allow another")
        else:
            return None
    return "; ".join(reasons) or "sdpa_kernel allows no kernel that the device has: allow SDPBackend.MATH too"


def _allowed() -> dict[str, bool]:
    asked: Any = attention_kernels
    flash, efficient, cudnn = KERNELS
    return {
        "math": asked.math_sdp_enabled(),
        flash: asked.flash_sdp_enabled(),
        efficient: asked.mem_efficient_sdp_enabled(),
        cudnn: asked.cudnn_sdp_enabled(),
    }


def _dtype_on_device(query: Tensor) -> torch.dtype:
    """Autocast brings its arguments to its own dtype first."""
    kind = query.device.type
    is_cast = query.is_floating_point() and query.dtype is not torch.float64 and torch.is_autocast_enabled(kind)
    return torch.get_autocast_dtype(kind) if is_cast else query.dtype


def _mask_of(args: Any, kwargs: Any) -> Any:
    return args[MASK_POSITION] if len(args) > MASK_POSITION else kwargs.get("attn_mask")


def _names(dtypes: Any) -> str:
    return " or ".join(sorted(str(one).removeprefix("torch.") for one in dtypes))
