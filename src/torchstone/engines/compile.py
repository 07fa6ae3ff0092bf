"""torch.compile: plain, with weights frozen into the program, or tuned at length.

The first call takes tens of seconds, which stands in the record apart with the number of calls after which it pays.
"""

import shutil
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch

from torchstone.engines import Prepared
from torchstone.models.emitting import emit_modes, emit_placing
from torchstone.models.placing import CHANNELS_LAST, casting, changed, place_inputs, place_model
from torchstone.models.subject import Subject
from torchstone.records import Device, Setup

COST = 2
COMPILERS = ("c++", "g++", "clang++", "cl")
VARIANTS = ("", "freezing", "max-autotune")


def explain_absence() -> str | None:
    """Inductor writes C++ for the CPU, and on other devices for what runs beside them."""
    if any(shutil.which(name) for name in COMPILERS):
        return None
    return "torch.compile needs a C++ compiler, and none is installed"


def setups(device: Device, subject: Subject, plain: Setup) -> tuple[Setup, ...]:
    """Plain, and frozen on the CPU, where that pays most; for images in channels last too."""
    found = [changed(plain, engine="compile")]
    if device.kind == "cpu":
        frozen = changed(plain, engine="compile:freezing")
        found.append(frozen)
        found += [changed(frozen, memory_format=CHANNELS_LAST)] if subject.is_for_images else []
    return tuple(found)


def prepare(subject: Subject, setup: Setup, batch: int) -> Prepared | str:
    """The compiled model; the compilation itself happens in its first call."""
    variant = setup.engine.partition(":")[2]
    if variant not in VARIANTS:
        return f"torch.compile has no variant {variant!r} here: {', '.join(VARIANTS[1:])}"
    placed = place_model(subject.model, setup)
    inputs = place_inputs(subject.inputs(batch), setup)
    torch.compiler.reset()  # a frozen program of another setup must not serve this one
    model: Any = torch.compile(placed, mode=variant if variant == "max-autotune" else None)

    def call() -> Any:
        with _frozen(variant), torch.no_grad(), casting(setup):
            return model(*inputs.args, **inputs.kwargs)

    return Prepared(call, placed, inputs)


def _frozen(variant: str) -> AbstractContextManager[Any]:
    if variant != "freezing":
        return nullcontext()
    import torch._inductor.config as inductor

    return inductor.patch(freezing=True)  # type: ignore[no-any-return]


def emit(setup: Setup) -> str:
    """Code that turns `model, args, kwargs` into `run()`."""
    variant = setup.engine.partition(":")[2]
    frozen = "import torch._inductor.config\ntorch._inductor.config.freezing = True\n" if variant == "freezing" else ""
    mode = f', mode="{variant}"' if variant == "max-autotune" else ""
    compiled = f"{frozen}compiled = torch.compile(model{mode})\n"
    modes = emit_modes(setup, "torch.no_grad()")
    return f"{emit_placing(setup)}{compiled}\ndef run():\n    with {modes}:\n        return compiled(*args, **kwargs)\n"
