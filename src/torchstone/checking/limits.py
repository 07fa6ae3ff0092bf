"""What a device refuses because of sizes and arguments, where a trace knows them: the kernel's own words tell.

What not every kernel says is a doubt and no limit.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from torchstone.checking import attention, mps_limits
from torchstone.checking.mps_limits import SIZES_HINT, Rule

LAST_READ = (2, 13)
"""The newest torch whose sources were read for these limits; a later one may have lifted them."""
PROJECTIONS = "LSTM with projections is not currently supported with MPS."
"""ATen/native/mps/operations/RnnOps.mm."""
MOST_DIMENSIONS = 16
TOO_MANY = "MPS supports tensors with dimensions <= 16, but got {}."
"""ATen/mps/EmptyTensor.cpp, in one of its two functions that make tensors: not every operator comes through it."""
NO_SUCH_DTYPE = "Trying to convert {} to the MPS backend but it does not have support for that dtype."
"""ATen/native/mps/OperationUtils.mm, which not every kernel asks."""
NARROWEST = "float8_"
MOST_CHANNELS = 1 << 16
OLD_CONVOLUTION = (
    'macOS before 15.1 refuses a convolution whose result has a size above 65,536: "Output channels > 65536 not '
    'supported at the MPS device."'
)
"""ATen/native/mps/operations/Convolution.mm, which looks at every size and not at channels alone."""


NO_DOUBLE = "Cannot convert a MPS Tensor to {0} dtype as the MPS framework doesn't support {0}"
"""ATen/native/mps/operations/Copy.mm (copy_from_mps_): a copy to the host is cast on the device, before it leaves it.
2.13 says it; 2.14 leaves the copy unwritten without a word (pytorch#197715); what is later says it again."""
WIDE = (torch.float64, torch.complex128)
CAST_HINT = "copy it first and cast it then, .cpu().to(dtype): the cast is made on the device (2.14: wrong, in silence)"


class Limit(NamedTuple):
    """What a device says to a call."""

    operator: str
    """What a function of torch is there; elsewhere it is made of others."""
    words: str
    hint: str = SIZES_HINT
    falls_back: bool = False
    """Whether it goes to the CPU, instead of raising."""


def broken_limit(device: str, operator: str, args: Any, kwargs: Any) -> Limit | None:
    """What the device will say to a call of an operator, or None."""
    for explain, hint, falls_back in RULES.get(device, {}).get(_base_of(operator), ()):
        words = explain(args, kwargs)
        if words is not None:
            return Limit(operator, words, hint, falls_back)
    return None


def _base_of(operator: str) -> str:
    """`adaptive_max_pool2d` for `aten::adaptive_max_pool2d.out`; what writes in place keeps its mark."""
    return operator.removeprefix("aten::").split(".")[0]


def broken_function_limit(device: str, function: str, args: Any, kwargs: Any) -> Limit | None:
    """The same of a function of torch."""
    if (device, function) == ("mps", "lstm") and isinstance(args[1], (tuple, list)) and _has_projections(args[1]):
        return Limit("aten::_lstm_mps", PROJECTIONS)
    if (device, function) == ("mps", attention.FUNCTION):
        words = mps_limits.explain_attention(args, kwargs)
        return (
            Limit("aten::_scaled_dot_product_attention_math_for_mps", words, mps_limits.DROPOUT_HINT) if words else None
        )
    if function == attention.FUNCTION and device in attention.DEVICES:
        advice = attention.refused_by_all(args, kwargs)
        return Limit(attention.OPERATOR, attention.NO_KERNEL, advice) if advice is not None else None
    return None


def _has_projections(states: Any) -> bool:
    return bool(states[0].shape[-1] != states[1].shape[-1])


def doubtful_tensor(device: str, tensors: Iterable[Tensor]) -> str | None:
    """What the device likely says to a tensor that a call makes there, or None."""
    if device != "mps":
        return None
    for one in tensors:
        if str(one.dtype).removeprefix("torch.").startswith(NARROWEST):
            return NO_SUCH_DTYPE.format(str(one.dtype).removeprefix("torch.").capitalize())
        if one.dim() > MOST_DIMENSIONS:
            return TOO_MANY.format(one.dim())
    return None


def old_system_limit(device: str, operator: str, result: Any) -> str | None:
    """What an older macOS refuses of what a call gives, in words; None where every one runs it."""
    is_large = isinstance(result, Tensor) and _base_of(operator) == "convolution" and device == "mps"
    return OLD_CONVOLUTION if is_large and any(size > MOST_CHANNELS for size in result.shape) else None


def _explain_wide_copy(args: Any, kwargs: Any) -> str | None:
    device = kwargs.get("device")
    is_fetched = device is not None and torch.device(device).type == "cpu"
    return _explain_cast(args[0], kwargs.get("dtype")) if is_fetched else None


def _explain_wide_write(args: Any, kwargs: Any) -> str | None:
    return _explain_cast(args[1], args[0].dtype) if args[0].device.type == "cpu" else None


def _explain_cast(source: Tensor, dtype: torch.dtype | None) -> str | None:
    """Of a copy to the host; nothing is cast where there are no elements."""
    is_cast = dtype in WIDE and source.dtype != dtype and source.numel() > 0
    return NO_DOUBLE.format(str(dtype).removeprefix("torch.")) if is_cast and source.device.type != "cpu" else None


RULES: dict[str, dict[str, tuple[Rule, ...]]] = {
    "mps": {
        **mps_limits.RULES,
        "_to_copy": (Rule(_explain_wide_copy, CAST_HINT),),
        "copy_": (Rule(_explain_wide_write, CAST_HINT),),
    }
}
"""By kind of device and operator."""
