"""OpenVINO: the exported program converted, run in float32 on the CPU.

It would choose bfloat16 by itself where the processor announces it, so float32 is asked for.
"""

import importlib.util

import torch

from torchstone.engines import Prepared
from torchstone.models.exporting import flat_tensors, output_form
from torchstone.models.placing import changed, place_inputs
from torchstone.models.subject import Subject
from torchstone.records import PLAIN_DTYPE, Device, Setup

COST = 1
CODE = """\
import openvino
with torch.inference_mode():
    program = torch.export.export(model, args, kwargs)
wanted = {{"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": {threads}}}
compiled = openvino.compile_model(openvino.convert_model(program), "CPU", wanted)

def run():
    tensors = [value for value in (*args, *kwargs.values()) if isinstance(value, torch.Tensor)]
    return list(compiled([tensor.numpy() for tensor in tensors]).values())
"""


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
    with torch.inference_mode():
        program = torch.export.export(subject.model, inputs.args, inputs.kwargs)
    wanted = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": setup.threads or 0}
    compiled = openvino.compile_model(openvino.convert_model(program), "CPU", wanted)
    arrays = [tensor.numpy() for tensor in flat_tensors(inputs)]
    if len(compiled.inputs) != len(arrays):
        return f"the converted model takes {len(compiled.inputs)} inputs, and {len(arrays)} tensors were given"
    restore = output_form(subject.model, inputs)
    return Prepared(lambda: restore([array.copy() for array in compiled(arrays).values()]), None, inputs)


def emit(setup: Setup) -> str:
    """Code that turns `model, args, kwargs` into `run()`."""
    return CODE.format(threads=setup.threads or 0)
