"""A pretend accelerator: a device that is not the CPU, on any machine, and that can be made to misbehave.

For the tests, and for exercises on portability. It is pure Python on PyTorch's PrivateUse1 key: results are
computed on the host, so they are the CPU's; time, memory and faults are pretended, as the `Knobs` say.

    import torchstone.pretend as pretend
    pretend.install()
    with pretend.configure(missing={"cumsum"}, op_seconds=0.001, asynchronous=True):
        torch.ones(3, device="pretend").cumsum(0)      # NotImplementedError

What it cannot be, since PyTorch takes it from C++ only: a device with its own `torch.Generator` (it draws from the
CPU's), with pinned memory (`pin_memory()` copies), with storages that resize, with several queues, with sparse or
quantised tensors; a second device is counted but refuses all work. `torch.compile` has no inductor for it, and
`torch.accelerator.current_stream().synchronize()` does not wait: `torch.accelerator.synchronize()` does.

A program that starts processes of its own hands them its knobs by `TORCHSTONE_PRETEND_KNOBS`, as a JSON object or as
`MODULE:ARGUMENT`: `install` then takes the knobs that `MODULE.pretend_knobs(ARGUMENT)` gives.
"""

import importlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from torchstone.errors import UserError
from torchstone.pretend.faults import Call, Fault
from torchstone.pretend.knobs import Knobs, knob_names, spellings
from torchstone.pretend.machine import machine

__all__ = ["KNOBS_VARIABLE", "Call", "Fault", "Knobs", "configure", "install", "is_installed", "knobs", "set_knobs"]

KNOBS_VARIABLE = "TORCHSTONE_PRETEND_KNOBS"


def install(name: str = "pretend", devices: int = 1) -> None:
    """Register the device in this process, for good; again, with the same arguments, does nothing."""
    if not (name.isidentifier() and name.islower()) or devices < 1:
        raise UserError(
            f"'{name}' with {devices} devices cannot be installed", "use a lower-case name and one or more devices"
        )
    if is_installed():
        _check_same(name, devices)
        return
    from torchstone.pretend.registration import register

    register(name, devices)
    set_knobs(_knobs_of_environment() or machine.knobs)


def is_installed() -> bool:
    """Whether this process has the device."""
    return bool(machine.name)


def knobs() -> Knobs:
    """The knobs as they are set now."""
    return machine.knobs


def set_knobs(wanted: Knobs) -> None:
    """Set all knobs at once, until they are set again."""
    if is_installed():
        _check(wanted)
    machine.set_knobs(wanted)


@contextmanager
def configure(**changes: Any) -> Iterator[Knobs]:
    """Turn some knobs for a with-block."""
    unknown = changes.keys() - knob_names()
    if unknown:
        raise UserError(f"no such knob: {', '.join(sorted(unknown))}", f"knobs: {', '.join(sorted(knob_names()))}")
    before = machine.knobs
    set_knobs(replace(before, **changes))
    try:
        yield machine.knobs
    finally:
        machine.set_knobs(before)


def _knobs_of_environment() -> Knobs | None:
    """As a JSON object, or as what a module gives for an argument."""
    wanted = os.environ.get(KNOBS_VARIABLE)
    if not wanted:
        return None
    module, _, argument = wanted.partition(":")
    try:
        if wanted.startswith("{"):
            return Knobs(**json.loads(wanted))
        found = importlib.import_module(module).pretend_knobs(argument)
    except (ImportError, AttributeError, LookupError, ValueError, TypeError) as error:
        hint = f"give a JSON object of {', '.join(sorted(knob_names()))}, or MODULE:ARGUMENT, with MODULE.pretend_knobs"
        raise UserError(f"{KNOBS_VARIABLE} is not understood: {error}", hint) from error
    if not isinstance(found, Knobs):
        raise UserError(f"{KNOBS_VARIABLE}={wanted} gives a {type(found).__name__}, not Knobs", "return Knobs(...)")
    return found


def _check_same(name: str, devices: int) -> None:
    if (name, devices) != (machine.name, machine.device_count):
        raise UserError(
            f"this process already has {machine.device_count} pretend device(s) named '{machine.name}'",
            "PyTorch has room for one such backend: use a process of its own for each",
        )


def _check(wanted: Knobs) -> None:
    """A knob for an op or a dtype that never reaches the device would silently do nothing."""
    known = {spelling for op_name in machine.op_names for spelling in spellings(op_name)}
    unseen = sorted(name for name in wanted.op_names() if name not in known and _is_aten(name))
    if unseen:
        raise UserError(
            f"the pretend device never sees {', '.join(unseen)}",
            "PyTorch breaks it up first: name what it becomes, as addmm for linear, convolution for conv2d",
        )
    import torch

    strange = sorted(name for name in wanted.rejected_dtypes if not hasattr(torch, name))
    if strange:
        raise UserError(f"no such dtype: {', '.join(strange)}", "name it as torch does, for example float64")


def _is_aten(name: str) -> bool:
    return "::" not in name or name.startswith("aten::")
