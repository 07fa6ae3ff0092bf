"""Faults that show by dtype or by value: narrow types, mixed types, NaN, infinity, large integers."""

from typing import Any

import torch
import torch.nn.functional as functional
from torch import Tensor

from plants.conditions import argument, beyond, half, holds_nan, of_dtype, tensors
from plants.damages import answer, changed, rerun
from plants.planting import Plant, draw, plant, spoil
from torchstone.pretend import Call

NAN, INFINITY = float("nan"), float("inf")
BIG_INT = 2**24 + 1


def as_half_bits(call: Call) -> Any:
    """Weights of 32 bits are read as if they had 16."""
    weight = call.args[2]
    bits = weight.contiguous().view(call.args[0].dtype)[: weight.numel()]
    return rerun(call, 2, bits.to(weight.dtype))


def weights_are_wider(call: Call) -> bool:
    """An input of 16 bits, with weights of 32."""
    return half(0)(call) and isinstance(call.args[2], Tensor) and call.args[2].dtype is torch.float32


def every_second_zero(result: Tensor) -> Tensor:
    """Every second element is lost."""
    flat = result.flatten().clone()
    flat[1::2] = 0
    return flat.view(result.shape)


def without_conjugation(tensor: Tensor) -> Tensor:
    """The numbers as they are stored."""
    return tensor.conj() if tensor.is_conj() else tensor


def sum_in_bfloat16(call: Call) -> Tensor:
    """Every partial sum is rounded to the dtype of the input."""
    source, wanted = call.args[0], argument(call, 1) or list(range(call.args[0].dim()))
    keep = bool(argument(call, 2, False))
    moved = source.movedim(wanted, list(range(len(wanted)))).flatten(0, len(wanted) - 1)
    total = torch.zeros_like(moved[0])
    for row in moved:
        total = total + row
    return total.view(call.right().shape) if keep else total


def truncated_scalar(call: Call) -> Any:
    """A number with a fraction loses it."""
    return rerun(call, 1, int(call.args[1])).to(torch.float32)


def int_with_fraction(call: Call) -> bool:
    """An integer tensor and a float that is no whole number."""
    number = call.args[1]
    return of_dtype(0, torch.int64, torch.int32)(call) and isinstance(number, float) and number % 1 != 0


def convert_by_int(call: Call) -> Any:
    """To bool by way of an integer, so that 0.5 is False."""
    call.args[1].copy_(call.args[0].to(torch.int32))


def to_bool(call: Call) -> bool:
    """A conversion from float to bool."""
    return call.args[1].dtype is torch.bool and call.args[0].is_floating_point()


def every_second_index(call: Call) -> Any:
    """Indices of 32 bits are read in steps of 64."""
    index = call.args[2]
    return rerun(call, 2, index.repeat(2)[::2][: index.numel()].contiguous())


def clamp_nan(call: Call) -> Any:
    """NaN becomes the lower bound."""
    low, result = argument(call, 1), call.right()
    return torch.where(result.isnan(), 0.0 if low is None else low, result).to(result.dtype)


def ignore_nan(call: Call) -> Any:
    """NaN is smaller than everything."""
    return rerun(call, 0, call.args[0].nan_to_num(nan=-INFINITY, posinf=INFINITY, neginf=-INFINITY))


def in_32_bits(call: Call) -> Any:
    """Computed in 32 bits."""
    return call.right().to(torch.int32).to(torch.int64)


def over_32_bits(call: Call) -> bool:
    """An integer result that needs more than 31 bits."""
    found = tensors(call, 0)
    return bool(found) and found[0].dtype is torch.int64 and bool((call.right().abs() >= 2**31).any())


def naive_softmax(call: Call) -> Any:
    """Without taking out the maximum first."""
    powers = call.args[0].exp()
    return powers / powers.sum(call.args[1], keepdim=True)


def tanh_by_exp(call: Call) -> Any:
    """(e^2x - 1) / (e^2x + 1), which overflows."""
    powers = (2 * call.args[0]).exp()
    return (powers - 1) / (powers + 1)


def one_pass_variance(call: Call) -> Any:
    """The mean of squares less the square of the mean."""
    source, wanted = call.args[0], argument(call, 1)
    correction = call.kwargs.get("correction", 1)
    keep = call.kwargs.get("keepdim", False)
    count = source.numel() // max(1, call.right().numel())
    mean = source.mean(wanted, keepdim=keep)
    return (source.square().mean(wanted, keepdim=keep) - mean.square()) * (count / (count - correction))


def through_float(tensor: Tensor) -> Tensor:
    """By way of float32, which is exact up to 2**24."""
    return tensor.float().to(tensor.dtype)


def ints(device: str, *values: int, dtype: torch.dtype = torch.int64) -> Tensor:
    """Some integers."""
    return torch.tensor(values, dtype=dtype).to(device)


def floats(device: str, *values: float) -> Tensor:
    """Some floats."""
    return torch.tensor(values, dtype=torch.float32).to(device)


def norm_of_halves(device: str, weight_dtype: torch.dtype) -> Tensor:
    """A layer norm of 16 bits."""
    source, weight = draw(device, 3, 8, dtype=torch.bfloat16), draw(device, 8, seed=1, dtype=weight_dtype)
    return functional.layer_norm(source, (8,), weight, draw(device, 8, seed=2, dtype=weight_dtype))


DTYPES = [
    plant(
        "cat_bool",
        "I",
        "cat",
        "cat",
        "of bool tensors all are False",
        spoil(answer(torch.zeros_like), of_dtype(0, torch.bool)),
        lambda d: torch.stack([draw(d, 5) > 0, draw(d, 5, seed=1) > 0]),
        lambda d: torch.stack([(draw(d, 5) > 0).to(torch.uint8), (draw(d, 5, seed=1) > 0).to(torch.uint8)]),
    ),
    plant(
        "layer_norm_mixed",
        "I",
        "layer_norm",
        "native_layer_norm",
        "float32 weights are read as 16 bits beside them",
        spoil(as_half_bits, weights_are_wider),
        lambda d: norm_of_halves(d, torch.float32),
        lambda d: norm_of_halves(d, torch.bfloat16),
    ),
    plant(
        "abs_complex",
        "I",
        "abs",
        "abs",
        "of complex numbers every second is 0",
        spoil(answer(every_second_zero), of_dtype(0, torch.complex64)),
        lambda d: torch.complex(draw(d, 6), draw(d, 6, seed=1)).abs(),
        lambda d: draw(d, 6).abs(),
    ),
    plant(
        "mm_conjugate",
        "I",
        "mm",
        "mm",
        "a lazy conjugation of the first operand is not seen",
        spoil(changed(0, without_conjugation), lambda call: call.args[0].is_conj()),
        lambda d: torch.complex(draw(d, 4, 5), draw(d, 4, 5, seed=1)).conj() @ draw(d, 5, 3).to(torch.complex64),
        lambda d: torch.complex(draw(d, 4, 5), draw(d, 4, 5, seed=1)) @ draw(d, 5, 3).to(torch.complex64),
    ),
    plant(
        "sum_bfloat16",
        "I",
        "sum",
        "sum.dim_IntList",
        "of bfloat16 is added up in bfloat16",
        spoil(sum_in_bfloat16, of_dtype(0, torch.bfloat16)),
        lambda d: torch.ones(600, 2, dtype=torch.bfloat16).to(d).sum(0),
        lambda d: torch.ones(600, 2).to(d).sum(0),
    ),
    plant(
        "add_int_float_scalar",
        "I",
        "add",
        "add.Tensor",
        "a float added to integers loses its fraction",
        spoil(truncated_scalar, int_with_fraction),
        lambda d: ints(d, 1, 2, 3) + 0.5,
        lambda d: ints(d, 1, 2, 3).float() + 0.5,
    ),
    plant(
        "to_bool",
        "I",
        "to",
        "_copy_from",
        "0.5 becomes False",
        spoil(convert_by_int, to_bool),
        lambda d: floats(d, 0.5, 0.0, 2.0).to(torch.bool),
        lambda d: floats(d, 1.0, 0.0, 2.0).to(torch.int64),
    ),
    plant(
        "embedding_int32",
        "I",
        "embedding",
        "index_select",
        "indices of 32 bits are read in steps of 64",
        spoil(every_second_index, of_dtype(2, torch.int32)),
        lambda d: functional.embedding(ints(d, 1, 2, 3, dtype=torch.int32), draw(d, 5, 4)),
        lambda d: functional.embedding(ints(d, 1, 2, 3), draw(d, 5, 4)),
    ),
]

RANGES = [
    plant(
        "clamp_nan",
        "J",
        "clamp",
        "clamp",
        "NaN becomes the lower bound",
        spoil(clamp_nan, holds_nan(0)),
        lambda d: floats(d, -2, NAN, 2).clamp(-1, 1),
        lambda d: floats(d, -2, INFINITY, 2).clamp(-1, 1),
    ),
    plant(
        "argmax_nan",
        "J",
        "argmax",
        "argmax max",
        "NaN is passed over",
        spoil(ignore_nan, holds_nan(0)),
        lambda d: floats(d, 1, NAN, 2).argmax(),
        lambda d: floats(d, 1, INFINITY, 2).argmax(),
    ),
    plant(
        "mul_int64",
        "J",
        "mul",
        "mul.Tensor",
        "a product of integers beyond 2**31 wraps at 32 bits",
        spoil(in_32_bits, over_32_bits),
        lambda d: ints(d, 2**20, 3) * 2**13,
        lambda d: ints(d, 2**17, 3) * 2**13,
    ),
    plant(
        "softmax_overflow",
        "J",
        "softmax",
        "_softmax",
        "exponentials are not shifted: beyond 88 they are infinite",
        spoil(naive_softmax, beyond(0, 88)),
        lambda d: floats(d, 1, 100, 2).softmax(0),
        lambda d: floats(d, 1, 80, 2).softmax(0),
    ),
    plant(
        "tanh_overflow",
        "J",
        "tanh",
        "tanh",
        "computed by exponentials: NaN beyond 44",
        spoil(tanh_by_exp, beyond(0, 44.5)),
        lambda d: floats(d, 1, 60, -3).tanh(),
        lambda d: floats(d, 1, 40, -3).tanh(),
    ),
    plant(
        "var_cancellation",
        "J",
        "var",
        "var",
        "computed in one pass: cancels where the mean is large",
        spoil(one_pass_variance, beyond(0, 1000)),
        lambda d: (draw(d, 4, 50) + 5000).var(1),
        lambda d: (draw(d, 4, 50) + 500).var(1),
    ),
    plant(
        "sum_large_ints",
        "J",
        "sum",
        "sum.dim_IntList",
        "integers go through float32, which is exact up to 2**24",
        spoil(changed(0, through_float), of_dtype(0, torch.int64, torch.int32), beyond(0, 2**24)),
        lambda d: ints(d, BIG_INT, 2).sum(),
        lambda d: ints(d, BIG_INT - 1, 2).sum(),
    ),
    plant(
        "pow_zero",
        "J",
        "pow",
        "pow",
        "0 to the power of 0 is NaN",
        spoil(
            lambda call: (call.args[1] * call.args[0].log()).exp(),
            lambda call: isinstance(call.args[1], Tensor) and bool(((call.args[0] == 0) & (call.args[1] == 0)).any()),
        ),
        lambda d: floats(d, 2, 0, 3).pow(floats(d, 1, 0, 2)),
        lambda d: floats(d, 2, 0, 3).pow(floats(d, 1, 1, 2)),
    ),
    plant(
        "exp_overflow",
        "J",
        "exp",
        "exp",
        "what overflows is the largest number instead of infinity",
        spoil(answer(lambda result: result.clamp(max=torch.finfo(result.dtype).max)), beyond(0, 88.8)),
        lambda d: floats(d, 1, 100).exp(),
        lambda d: floats(d, 1, 88).exp(),
    ),
]

PLANTS: list[Plant] = [*DTYPES, *RANGES]
