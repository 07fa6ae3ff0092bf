"""Plain faults for an atlas of ops: missing, wrong, dtype-rejecting, crashing and hanging ops, each in its own op.

`Plant.op` is the name of the OpInfo that reaches it.
"""

import ctypes
import os
import time
from collections.abc import Callable
from typing import Any, Literal

import torch
import torch.nn.functional as functional
from torch import Tensor

from plants.damages import answer, tamper
from plants.planting import Kind, Plant, Program, differentiate, draw, leaf
from torchstone.pretend import Call, Fault

Direction = Literal["forward", "backward"]
NAP_S = 3600.0


def right(call: Call) -> Any:
    """No fault at all."""
    return call.right()


def abort(call: Call) -> Any:
    """End the process, as a failed assertion in a driver does."""
    os.abort()


def read_nowhere(call: Call) -> Any:
    """End the process by reading where there is no memory."""
    return ctypes.string_at(0)


def hang(call: Call) -> Any:
    """Never return."""
    while True:
        time.sleep(NAP_S)


def refuse(message: str, error: type[Exception], *dtypes: torch.dtype) -> Fault:
    """Refuse some dtypes, in the words of some device."""

    def fault(call: Call) -> Any:
        for value in call.args:
            if isinstance(value, Tensor) and value.dtype in dtypes:
                raise error(message.format(str(value.dtype).removeprefix("torch.")))
        return call.right()

    return fault


def plain(
    kind: Kind,
    op: str,
    aten: str,
    witness: Program,
    control: Program,
    fault: Fault = right,
    direction: Direction = "forward",
    dtypes: tuple[torch.dtype, ...] = (),
) -> Plant:
    """A plain fault in one op; the control does not reach it."""
    missing = {"missing": frozenset({aten})} if kind == "missing" else {}
    name = f"{kind}_{direction}_{aten.strip('_')}"
    names = tuple(str(dtype).removeprefix("torch.") for dtype in dtypes)
    words = f"{kind} in {', '.join(names) or 'all dtypes'}"
    faults = {} if missing else {aten: fault}
    return Plant(
        name, "", op, (aten,), words, lambda: faults, witness, (control,), direction, kind, missing, dtypes=names
    )


def backward(function: Callable[..., Tensor], *shape: int) -> Program:
    """The gradient of a function of one tensor."""

    def program(device: str) -> list[Tensor]:
        source = leaf(device, *shape)
        return differentiate(function(source), source)

    return program


def forward(function: Callable[..., Any], *shape: int, dtype: torch.dtype = torch.float32) -> Program:
    """A function of one tensor."""
    return lambda device: function(draw(device, *shape, dtype=dtype))


def pair(function: Callable[..., Any], *shape: int, dtype: torch.dtype = torch.float32) -> Program:
    """A function of two tensors."""
    return lambda device: function(draw(device, *shape, dtype=dtype), draw(device, *shape, seed=1, dtype=dtype))


def backward_of_pair(function: Callable[..., Tensor], *shape: int) -> Program:
    """The gradient of a function of two tensors by the first."""

    def program(device: str) -> list[Tensor]:
        source = leaf(device, *shape)
        return differentiate(function(source, draw(device, *shape, seed=1)), source)

    return program


def sample_grid(image: Tensor) -> Tensor:
    """An image sampled at a grid of places."""
    grid = draw(image.device.type, image.size(0), 3, 3, 2, seed=1)
    return functional.grid_sample(image, grid, align_corners=False)


def unpool(image: Tensor) -> Tensor:
    """A maximum pooling undone."""
    return functional.max_unpool2d(*functional.max_pool2d(image, 2, return_indices=True), [2, 2])


def classify_pixels(logits: Tensor) -> Tensor:
    """A cross entropy of pixels."""
    targets = torch.zeros(logits.size(0), *logits.shape[2:], dtype=torch.int64, device=logits.device)
    return functional.cross_entropy(logits, targets)


def count(tensor: Tensor) -> Tensor:
    """How often each of some numbers comes."""
    return torch.bincount((tensor.abs() * 3).long().flatten())


def cubes(tensor: Tensor) -> Tensor:
    """Something that no fault of this file touches."""
    return tensor * tensor * tensor


HALF = (torch.float16, torch.bfloat16)
RIGHT = forward(cubes, 4, 6)
RIGHT_BACKWARD = backward(cubes, 4, 6)

MISSING = [
    plain("missing", "roll", "roll", forward(lambda x: x.roll(1, 0), 4, 6), RIGHT),
    plain("missing", "kthvalue", "kthvalue", forward(lambda x: x.kthvalue(2), 4, 6), RIGHT),
    plain("missing", "histc", "histc", forward(lambda x: x.histc(5), 4, 6), RIGHT),
    plain("missing", "nn.functional.grid_sample", "grid_sampler_2d", forward(sample_grid, 2, 3, 5, 5), RIGHT),
    plain("missing", "logcumsumexp", "_logcumsumexp", forward(lambda x: x.logcumsumexp(1), 4, 6), RIGHT),
    plain("missing", "nn.functional.cross_entropy", "nll_loss2d_forward", forward(classify_pixels, 2, 3, 4, 4), RIGHT),
    plain("missing", "cdist", "_cdist_forward", pair(torch.cdist, 4, 6), RIGHT),
    plain(
        "missing",
        "unfold",
        "unfold_backward",
        backward(lambda x: x.unfold(1, 2, 2), 4, 6),
        forward(lambda x: x.unfold(1, 2, 2), 4, 6),
        direction="backward",
    ),
    plain(
        "missing",
        "nn.functional.softplus",
        "softplus_backward",
        backward(functional.softplus, 4, 6),
        forward(functional.softplus, 4, 6),
        direction="backward",
    ),
]

WRONG = [
    plain("wrong", "digamma", "digamma", forward(torch.digamma, 4, 6), RIGHT, answer(tamper)),
    plain("wrong", "erfinv", "erfinv", forward(lambda x: x.tanh().erfinv(), 4, 6), RIGHT, answer(tamper)),
    plain("wrong", "logaddexp", "logaddexp", pair(torch.logaddexp, 4, 6), RIGHT, answer(tamper)),
    plain("wrong", "linalg.cross", "linalg_cross", pair(torch.linalg.cross, 4, 3), RIGHT, answer(torch.neg)),
    plain(
        "wrong",
        "nn.functional.pixel_shuffle",
        "pixel_shuffle",
        forward(lambda x: functional.pixel_shuffle(x, 2), 1, 8, 3, 3),
        RIGHT,
        answer(lambda image: image.flip(1)),
    ),
    plain("wrong", "trace", "trace", forward(torch.trace, 4, 6), RIGHT, answer(tamper)),
    plain("wrong", "bincount", "bincount", forward(count, 4, 6), RIGHT, answer(tamper)),
    plain("wrong", "isposinf", "isposinf", forward(torch.isposinf, 4, 6), RIGHT, answer(tamper)),
    plain(
        "wrong",
        "copysign",
        "copysign",
        pair(torch.copysign, 4, 6),
        RIGHT,
        answer(torch.abs),
    ),
    plain(
        "wrong",
        "i0",
        "i0",
        forward(torch.i0, 4, 6, dtype=torch.bfloat16),
        forward(torch.i0, 4, 6),
        lambda call: tamper(call.right()) if call.args[0].dtype is torch.bfloat16 else call.right(),
        dtypes=(torch.bfloat16,),
    ),
]

WRONG_BACKWARD = [
    plain(
        "wrong",
        op,
        aten,
        witness,
        control,
        answer(tamper),
        direction="backward",
    )
    for op, aten, witness, control in (
        ("nn.functional.mish", "mish_backward", backward(functional.mish, 4, 6), forward(functional.mish, 4, 6)),
        (
            "nn.functional.hardshrink",
            "hardshrink_backward",
            backward(functional.hardshrink, 4, 6),
            forward(functional.hardshrink, 4, 6),
        ),
        (
            "nn.functional.smooth_l1_loss",
            "smooth_l1_loss_backward",
            backward_of_pair(functional.smooth_l1_loss, 4, 6),
            pair(functional.smooth_l1_loss, 4, 6),
        ),
        (
            "nn.functional.huber_loss",
            "huber_loss_backward",
            backward_of_pair(functional.huber_loss, 4, 6),
            pair(functional.huber_loss, 4, 6),
        ),
        (
            "nn.functional.logsigmoid",
            "log_sigmoid_backward",
            backward(functional.logsigmoid, 4, 6),
            forward(functional.logsigmoid, 4, 6),
        ),
        (
            "nn.functional.pad",
            "reflection_pad1d_backward",
            backward(lambda x: functional.pad(x, (1, 1), mode="reflect"), 2, 4, 6),
            forward(lambda x: functional.pad(x, (1, 1), mode="reflect"), 2, 4, 6),
        ),
        ("nn.functional.glu", "glu_backward", backward(functional.glu, 4, 6), forward(functional.glu, 4, 6)),
        (
            "nn.functional.softshrink",
            "softshrink_backward",
            backward(functional.softshrink, 4, 6),
            forward(functional.softshrink, 4, 6),
        ),
    )
]

DTYPES = [
    plain(
        "dtype",
        "topk",
        "topk",
        forward(lambda x: x.topk(2), 4, 6, dtype=torch.bfloat16),
        forward(lambda x: x.topk(2), 4, 6),
        refuse("\"topk\" not implemented for '{}'", NotImplementedError, *HALF),
        dtypes=HALF,
    ),
    plain(
        "dtype",
        "searchsorted",
        "searchsorted",
        lambda d: torch.searchsorted(torch.arange(5).to(d), torch.tensor([2]).to(d)),
        lambda d: torch.searchsorted(torch.arange(5.0).to(d), torch.tensor([2.5]).to(d)),
        refuse("searchsorted does not support dtype {} on this device", RuntimeError, torch.int64),
        dtypes=(torch.int64,),
    ),
    plain(
        "dtype",
        "cumprod",
        "cumprod",
        lambda d: torch.arange(1, 5).to(d).cumprod(0),
        forward(lambda x: x.cumprod(1), 4, 6),
        refuse("Unsupported data type {} in cumprod", TypeError, torch.int64, torch.int32),
        dtypes=(torch.int64, torch.int32),
    ),
    plain(
        "dtype",
        "lerp",
        "lerp",
        pair(lambda x, y: torch.lerp(x, y, 0.3), 4, 6, dtype=torch.float16),
        pair(lambda x, y: torch.lerp(x, y, 0.3), 4, 6),
        refuse("\"lerp\" not implemented for '{}'", NotImplementedError, *HALF),
        dtypes=HALF,
    ),
    plain(
        "dtype",
        "sinh",
        "sinh",
        forward(lambda x: x.to(torch.complex64).sinh(), 4, 6),
        forward(torch.sinh, 4, 6),
        refuse("{} is not supported by sinh", TypeError, torch.complex64),
        dtypes=(torch.complex64,),
    ),
    plain(
        "dtype",
        "heaviside",
        "heaviside",
        lambda d: torch.heaviside(torch.arange(-2, 3).to(d), torch.ones(5).long().to(d)),
        pair(torch.heaviside, 4, 6),
        refuse("heaviside: {} is not supported", RuntimeError, torch.int64),
        dtypes=(torch.int64,),
    ),
]

CRASHES = [
    plain("crash", "geqrf", "geqrf", forward(torch.geqrf, 4, 4), RIGHT, abort),
    plain("crash", "igamma", "igamma", pair(lambda x, y: torch.igamma(x.abs(), y.abs()), 4, 6), RIGHT, read_nowhere),
    plain("crash", "nn.functional.max_unpool2d", "max_unpool2d", forward(unpool, 1, 2, 6, 6), RIGHT, abort),
    plain(
        "crash",
        "nn.functional.celu",
        "elu_backward",
        backward(functional.celu, 4, 6),
        forward(functional.celu, 4, 6),
        abort,
        direction="backward",
    ),
    plain(
        "crash",
        "hypot",
        "hypot",
        pair(torch.hypot, 4, 6, dtype=torch.bfloat16),
        pair(torch.hypot, 4, 6),
        lambda call: abort(call) if call.args[0].dtype is torch.bfloat16 else call.right(),
        dtypes=(torch.bfloat16,),
    ),
]

HANGS = [
    plain("hang", "mode", "mode", forward(torch.mode, 4, 6), RIGHT, hang),
    plain("hang", "nanmedian", "nanmedian", forward(torch.nanmedian, 4, 6), RIGHT, hang),
    plain(
        "hang", "bucketize", "bucketize", forward(lambda x: torch.bucketize(x, x[0].sort().values), 4, 6), RIGHT, hang
    ),
    plain(
        "hang",
        "nn.functional.hardswish",
        "hardswish_backward",
        backward(functional.hardswish, 4, 6),
        forward(functional.hardswish, 4, 6),
        hang,
        direction="backward",
    ),
]

PLANTS: list[Plant] = [*MISSING, *WRONG, *WRONG_BACKWARD, *DTYPES, *CRASHES, *HANGS]
