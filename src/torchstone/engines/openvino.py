"""OpenVINO: the exported program converted, run in float32 on the CPU.

It would choose bfloat16 by itself where the processor announces it, so float32 is asked for.
"""

import importlib.util
from typing import Any
from weakref import WeakKeyDictionary

import torch

from torchstone.engines import Prepared, naming
from torchstone.models.emitting import emit_exported
from torchstone.models.exporting import flat_tensors, output_form
from torchstone.models.inputs import Inputs
from torchstone.models.placing import changed, place_inputs
from torchstone.models.subject import Subject
from torchstone.records import PLAIN_DTYPE, Device, Setup

COST = 1
HEEDS = ("threads",)
EXPORTS = True
CODE = """\
import openvino
with torch.inference_mode():
    program = torch.export.export(model, args, kwargs)
wanted = {{"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": {threads}}}
compiled = openvino.compile_model(openvino.convert_model(program), "CPU", wanted)
"""
CALLED = "[array.copy() for array in compiled([tensor.detach().numpy() for tensor in tensors]).values()]"
_CONVERTED: "WeakKeyDictionary[Subject, tuple[int, Any]]" = WeakKeyDictionary()
"""The newest conversion of each subject, with its batch: all setups of it run the same."""


def explain_absence() -> str | None:
    """What to install."""
    if importlib.util.find_spec("openvino") is None:
        return "openvino not installed: pip install 'torchstone[engines]'"
    return None


def setups(device: Device, subject: Subject, plain: Setup) -> tuple[Setup, ...]:
    """On the CPU, of models in float32."""
    is_for_it = device.kind == "cpu" and plain.dtype == PLAIN_DTYPE
    return (changed(plain, engine="openvino"),) if is_for_it else ()


def prepare(subject: Subject, setup: Setup, batch: int) -> Prepared | str:
    """Exported, converted and compiled."""
    import openvino

    inputs = place_inputs(subject.inputs(batch), setup)
    restore = output_form(subject.model, inputs)
    wanted = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": setup.threads or 0}
    converted = _convert(subject, inputs, batch)
    with naming("its own compilation"):
        compiled = openvino.compile_model(converted, "CPU", wanted)
    arrays = [tensor.numpy() for tensor in flat_tensors(inputs)]
    if len(compiled.inputs) != len(arrays):
        return f"the converted model takes {len(compiled.inputs)} inputs, and {len(arrays)} tensors were given"
    return Prepared(lambda: restore([array.copy() for array in compiled(arrays).values()]), None, inputs)


def _convert(subject: Subject, inputs: Inputs, batch: int) -> Any:
    import openvino

    known = _CONVERTED.get(subject)
    if known is None or known[0] != batch:
        with naming("the export"), torch.inference_mode():
            program = torch.export.export(subject.model, inputs.args, inputs.kwargs)
        with naming("the conversion"):
            known = _CONVERTED[subject] = (batch, openvino.convert_model(program))
    return known[1]


def emit(setup: Setup) -> str:
    """Code that turns `model, args, kwargs` into `run()`."""
    return emit_exported(setup, CODE.format(threads=setup.threads or 0), CALLED)
