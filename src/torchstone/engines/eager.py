"""Plain torch, operator by operator: in narrower dtypes, with channels last, in one thread."""

from typing import Any

import torch

from torchstone.engines import Prepared
from torchstone.machine.dtypes import NARROW, computes_in
from torchstone.models.emitting import emit_modes, emit_placing
from torchstone.models.placing import CHANNELS_LAST, casting, changed, place_inputs, place_model
from torchstone.models.subject import Subject
from torchstone.records import PLAIN_DTYPE, Device, Setup

COST = 0
HEEDS = ("memory_format", "precision", "threads")


def explain_absence() -> str | None:
    """It is torch itself."""
    return None


def setups(device: Device, subject: Subject, plain: Setup) -> tuple[Setup, ...]:
    """The surest first: another order of the memory, one thread, then narrower dtypes where the device has them."""
    found = [changed(plain, memory_format=CHANNELS_LAST)] if subject.is_for_images else []
    if device.kind == "cpu" and (plain.threads or 1) > 1:
        found.append(changed(plain, threads=1))
    if plain.dtype == PLAIN_DTYPE:
        worthwhile = NARROW[:1] if device.kind == "cpu" else NARROW
        narrow = [dtype for dtype in worthwhile if computes_in(device, dtype)]
        found += [changed(plain, dtype=dtype, precision="cast") for dtype in narrow]
    return tuple(found)


def prepare(subject: Subject, setup: Setup, batch: int) -> Prepared:
    """The model placed, called in inference mode."""
    model = place_model(subject.model, setup)
    inputs = place_inputs(subject.inputs(batch), setup)

    def call() -> Any:
        with torch.inference_mode(), casting(setup):
            return model(*inputs.args, **inputs.kwargs)

    return Prepared(call, model, inputs)


def emit(setup: Setup) -> str:
    """Code that turns `model, args, kwargs` into `run()`."""
    return f"{emit_placing(setup)}\ndef run():\n    with {emit_modes(setup)}:\n        return model(*args, **kwargs)\n"
