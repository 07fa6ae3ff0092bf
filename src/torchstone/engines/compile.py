"""torch.compile: plain, with weights frozen into the program, or tuned at length.

The first call takes tens of seconds, which stands in the record apart with the number of calls after which it pays.
"""

import shutil
from typing import Any

import torch

from torchstone.engines import Prepared
from torchstone.models.emitting import emit_modes, emit_placing
from torchstone.models.placing import CHANNELS_LAST, casting, changed, place_inputs, place_model
from torchstone.models.subject import Subject
from torchstone.records import Device, Setup

COST = 2
HEEDS = ("memory_format", "precision", "threads")
COMPILERS = ("c++", "g++", "clang++", "cl")
OPTIONS: dict[str, dict[str, Any]] = {
    "": {},
    "freezing": {"options": {"freezing": True}},
    "max-autotune": {"mode": "max-autotune"},
}
"""What each variant gives to torch.compile."""


def explain_absence() -> str | None:
    """Inductor writes C++ for the CPU, and on other devices for what runs beside them."""
    if any(shutil.which(name) for name in COMPILERS):
        return None
    return "torch.compile needs a C++ compiler, and none is installed"


def setups(device: Device, subject: Subject, plain: Setup) -> tuple[Setup, ...]:
    """On the CPU frozen first, where that pays most, for images in channels last too; and plain."""
    compiled = changed(plain, engine="compile")
    if device.kind != "cpu":
        return (compiled,)
    frozen = changed(plain, engine="compile:freezing")
    ordered = [changed(frozen, memory_format=CHANNELS_LAST)] if subject.is_for_images else []
    return (frozen, compiled, *ordered)


def prepare(subject: Subject, setup: Setup, batch: int) -> Prepared | str:
    """The compiled model; the compilation itself happens in its first call."""
    variant = setup.engine.partition(":")[2]
    if variant not in OPTIONS:
        return f"torch.compile has no variant {variant!r} here: {', '.join(filter(None, OPTIONS))}"
    placed = place_model(subject.model, setup)
    inputs = place_inputs(subject.inputs(batch), setup)
    # As an option it tells this program from the one of another setup that is compiled in the same process.
    model: Any = torch.compile(placed, **OPTIONS[variant])

    def call() -> Any:
        with torch.no_grad(), casting(setup):
            return model(*inputs.args, **inputs.kwargs)

    return Prepared(call, placed, inputs)


def emit(setup: Setup) -> str:
    """Code that turns `model, args, kwargs` into `run()`."""
    options = "".join(f", {name}={value!r}" for name, value in OPTIONS[setup.engine.partition(":")[2]].items())
    compiled = f"compiled = torch.compile(model{options})\n"
    modes = emit_modes(setup, "torch.no_grad()")
    return f"{emit_placing(setup)}{compiled}\ndef run():\n    with {modes}:\n        return compiled(*args, **kwargs)\n"
