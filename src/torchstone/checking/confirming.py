"""After a trace has failed: does the model run on the CPU with its own inputs?

If it fails there at the same line, it fails everywhere, and the person has given it the wrong inputs; but where its
words name the CPU or a dtype that the CPU lacks, that is no proof. If it runs, the trace is at fault: torch can't
compute some calls without data. It is tried in a process of its own, in which torch is
as the person knows it.
"""

import contextlib
import math
import re
from functools import partial

import msgspec
import torch
from torch import Tensor, nn

from torchstone.checking.building import Build
from torchstone.checking.hooks import hooks_of, register
from torchstone.checking.losses import loss_of
from torchstone.checking.places import source_of_error
from torchstone.checking.seeming import lacks_a_device
from torchstone.checking.trace import Stop
from torchstone.checking.unwrapping import unwrap
from torchstone.errors import UserError, one_line_of
from torchstone.models.inputs import Inputs
from torchstone.processes import Limits, cut, run_spawned

MOST_WEIGHTS = 1 << 26
"""Of a model that is tried: one that takes neither long nor much memory."""
LIMIT_S = 60.0
LONGEST = 400
CANNOT_TRACE = (
    "torchstone cannot trace this call, though it runs on the CPU, and what follows is not judged: "
    "run the same check on a machine with the device"
)
CPU_LACKS = (
    "the CPU refuses this call, too, but for its own sake, which tells nothing of another device: "
    "run the same check on a machine with the device"
)
_OF_THE_CPU = re.compile(r"not implemented for '\w+'|Unsupported dtype \w+|\b(?:on|for)(?: the)? CPU\b|'CPU' backend")
"""What torch says where the CPU lacks a kernel or a dtype (ATen/Dispatch.h, ATen/native/SpectralOps.cpp)."""
NEEDS_DEVICE = (
    "torchstone cannot trace this call, which needs the device itself: run the same check on a machine with it"
)
INPUTS_HINT = "give it the inputs that it takes: it must run on the CPU before it can run on a device"


NEEDS_GRADIENT = "does not require grad"
"""What torch says to `backward()` where nothing is differentiated."""


class HostRun(msgspec.Struct, frozen=True):
    """How a step on the CPU ended."""

    error: str = ""
    """Empty where it ran."""
    source: str = ""


def confirm(stop: Stop, build: Build, weights: int, limit_s: float = LIMIT_S, *, train: bool = False) -> Stop:
    """The stop with what to do about it; a `UserError` where the model fails on every device."""
    if weights > MOST_WEIGHTS or stop.place.phase not in (("forward", "backward") if train else ("forward",)):
        return stop
    run = _tried(build, limit_s, train)
    if run is None:
        return stop
    if not run.error:
        return msgspec.structs.replace(stop, hint=CANNOT_TRACE)
    if lacks_a_device(run.error):
        return msgspec.structs.replace(stop, hint=NEEDS_DEVICE)
    if _OF_THE_CPU.search(run.error):
        return msgspec.structs.replace(stop, hint=CPU_LACKS)
    if run.source != stop.place.source:
        return stop
    where = f" at {run.source}" if run.source else ""
    raise UserError(f"the model fails on the CPU, too{where}: {run.error}", INPUTS_HINT)


def runs_on_host(build: Build, limit_s: float = LIMIT_S) -> bool:
    """Whether a forward pass comes to its end there, in a process of its own."""
    run = _tried(build, limit_s, train=False)
    return run is not None and not run.error


def _tried(build: Build, limit_s: float, train: bool) -> HostRun | None:
    """None where the process did not come to an answer."""
    limits = Limits(seconds=min(limit_s, LIMIT_S))
    outcome = run_spawned(partial(run_on_host, build, train), limits, returns=HostRun)
    return outcome.value if isinstance(outcome.value, HostRun) else None


def run_on_host(build: Build, train: bool = False) -> HostRun:
    """One forward pass, or with `train` one with its way back; weights that have been left behind are drawn anew."""
    model, inputs = build()
    model, _ = unwrap(model)
    with contextlib.suppress(NotImplementedError):  # an exported program is of one mode for good
        model.train(train)
    _draw_weights(model)
    if train:
        return _run(model, inputs, with_gradients=True, back=True)
    without = _run(model, inputs, with_gradients=False)
    # A model may go back through its own computation.
    return _run(model, inputs, with_gradients=True) if NEEDS_GRADIENT in without.error else without


def _run(model: nn.Module, inputs: Inputs, with_gradients: bool, back: bool = False) -> HostRun:
    try:
        with torch.set_grad_enabled(with_gradients):
            output = model(*inputs.args, **inputs.kwargs)
            if back:
                loss_of(output).backward()  # type: ignore[no-untyped-call]
    except BaseException as error:  # somebody else's model may raise anything
        return HostRun(cut(f"{type(error).__name__}: {one_line_of(error)}", LONGEST), source_of_error(error))
    return HostRun()


def _draw_weights(model: nn.Module) -> None:
    for module in model.modules():
        for name, parameter in module.named_parameters(recurse=False):
            if parameter.is_meta:
                drawn = nn.Parameter(_drawn_like(parameter), parameter.requires_grad)
                register(drawn, hooks_of(parameter))
                module.register_parameter(name, drawn)
        for name, buffer in module.named_buffers(recurse=False):
            if buffer.is_meta:
                module._buffers[name] = _drawn_like(buffer)
        if isinstance(module, nn.RNNBase):  # it keeps a list of its weights besides
            module._init_flat_weights()


def _drawn_like(tensor: Tensor) -> Tensor:
    """Of the size that layers draw."""
    empty = torch.zeros(tensor.shape, dtype=tensor.dtype)
    width = tensor.shape[-1] if tensor.dim() else 1
    return empty.uniform_(-1.0, 1.0).div_(math.sqrt(max(width, 1))) if empty.is_floating_point() else empty
