"""ONNX Runtime: the model exported once, run by another engine in float32.

The export takes seconds. The threads are its own: as many as the setup says.
"""

import contextlib
import importlib.util
import io
import warnings
from typing import Any

import torch

from torchstone.engines import Prepared
from torchstone.models.exporting import flat_tensors, output_form
from torchstone.models.placing import changed, place_inputs
from torchstone.models.subject import Subject
from torchstone.records import PLAIN_DTYPE, Device, Setup

COST = 1
NEEDED = ("onnxruntime", "onnxscript")
CODE = """\
import io, onnxruntime
with torch.inference_mode():
    program = torch.onnx.export(model, args, kwargs=kwargs, dynamo=True, verbose=False)
file = io.BytesIO()
program.save(file)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = {threads}
session = onnxruntime.InferenceSession(file.getvalue(), options, providers=["CPUExecutionProvider"])
names = [one.name for one in session.get_inputs()]

def run():
    tensors = [value for value in (*args, *kwargs.values()) if isinstance(value, torch.Tensor)]
    return session.run(None, dict(zip(names, (tensor.numpy() for tensor in tensors))))
"""


def explain_absence() -> str | None:
    """What to install."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    return f"{' and '.join(missing)} not installed: pip install 'torchstone[engines]'" if missing else None


def setups(device: Device, subject: Subject, plain: Setup) -> tuple[Setup, ...]:
    """On the CPU, of models in float32."""
    is_for_it = device.kind == "cpu" and plain.dtype == PLAIN_DTYPE
    return (changed(plain, engine="onnxruntime"),) if is_for_it else ()


def prepare(subject: Subject, setup: Setup, batch: int) -> Prepared | str:
    """Exported, and a session of it."""
    import onnxruntime

    inputs = place_inputs(subject.inputs(batch), setup)
    tensors = flat_tensors(inputs)
    file = io.BytesIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), torch.inference_mode():
        warnings.simplefilter("ignore")  # the exporter's own deprecations
        program: Any = torch.onnx.export(subject.model, inputs.args, kwargs=inputs.kwargs, dynamo=True, verbose=False)
        program.save(file)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = setup.threads or 0
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(file.getvalue(), options, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_inputs()]
    if len(names) != len(tensors):
        return f"the exported model takes {len(names)} inputs, and {len(tensors)} tensors were given"
    feeds = {name: tensor.numpy() for name, tensor in zip(names, tensors, strict=True)}
    restore = output_form(subject.model, inputs)
    return Prepared(lambda: restore(session.run(None, feeds)), None, inputs)


def emit(setup: Setup) -> str:
    """Code that turns `model, args, kwargs` into `run()`."""
    return CODE.format(threads=setup.threads or 0)
