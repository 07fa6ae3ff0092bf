"""ONNX Runtime: the model exported once, run by another engine in float32.

The export takes seconds. The threads are its own: as many as the setup says.
"""

import contextlib
import importlib.util
import io
import warnings
from typing import Any
from weakref import WeakKeyDictionary

import torch

from torchstone.engines import Prepared, StepError, naming
from torchstone.models.emitting import emit_exported
from torchstone.models.exporting import flat_tensors, output_form
from torchstone.models.inputs import Inputs
from torchstone.models.placing import changed, place_inputs
from torchstone.models.subject import Subject
from torchstone.records import PLAIN_DTYPE, Device, Setup

COST = 1
HEEDS = ("threads",)
EXPORTS = True
NEEDED = ("onnxruntime", "onnxscript")
CODE = """\
import io, onnxruntime
with torch.inference_mode():
    program = torch.onnx.export(model, args, kwargs=kwargs, dynamo=True, verbose=False)
file = io.BytesIO()
program.save(file)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = {threads}
{parallel}session = onnxruntime.InferenceSession(file.getvalue(), options, providers=["CPUExecutionProvider"])
names = [value.name for value in session.get_inputs()]
"""
CALLED = "session.run(None, {name: tensor.detach().numpy() for name, tensor in zip(names, tensors)})"
PARALLEL = """\
options.execution_mode = onnxruntime.ExecutionMode.ORT_PARALLEL
options.inter_op_num_threads = {threads}
"""
_EXPORTED: "WeakKeyDictionary[Subject, tuple[int, bytes | str]]" = WeakKeyDictionary()
"""The newest export of each subject, with its batch: all setups of it run the same, or fail
for the same reason, of which the words are kept (the exception would hold the subject)."""


def explain_absence() -> str | None:
    """What to install."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    return f"{' and '.join(missing)} not installed: pip install 'torchstone[engines]'" if missing else None


def setups(device: Device, subject: Subject, plain: Setup) -> tuple[Setup, ...]:
    """On the CPU, of models in float32; and with branches of the model side by side (inter-op threads)."""
    if device.kind != "cpu" or plain.dtype != PLAIN_DTYPE:
        return ()
    several = [changed(plain, engine="onnxruntime:parallel")] if (plain.threads or 1) > 1 else []
    return (changed(plain, engine="onnxruntime"), *several)


def prepare(subject: Subject, setup: Setup, batch: int) -> Prepared | str:
    """Exported, and a session of it."""
    import onnxruntime

    inputs = place_inputs(subject.inputs(batch), setup)
    tensors = flat_tensors(inputs)
    restore = output_form(subject.model, inputs)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = setup.threads or 0
    options.log_severity_level = 3
    if setup.engine.endswith(":parallel"):
        options.execution_mode = onnxruntime.ExecutionMode.ORT_PARALLEL
        options.inter_op_num_threads = setup.threads or 0
    exported = _export(subject, inputs, batch)
    with naming("the session"):
        session = onnxruntime.InferenceSession(exported, options, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_inputs()]
    if len(names) != len(tensors):
        return f"the exported model takes {len(names)} inputs, and {len(tensors)} tensors were given"
    feeds = {name: tensor.numpy() for name, tensor in zip(names, tensors, strict=True)}
    return Prepared(lambda: restore(session.run(None, feeds)), None, inputs)


def _export(subject: Subject, inputs: Inputs, batch: int) -> bytes:
    known = _EXPORTED.get(subject)
    if known is None or known[0] != batch:
        known = _EXPORTED[subject] = (batch, _export_anew(subject, inputs))
    if isinstance(known[1], str):
        raise StepError(known[1])
    return known[1]


def _export_anew(subject: Subject, inputs: Inputs) -> bytes | str:
    file = io.BytesIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), torch.inference_mode():
        warnings.simplefilter("ignore")  # the exporter's own deprecations
        try:
            with naming("the export"):
                made: Any = torch.onnx.export(
                    subject.model, inputs.args, kwargs=inputs.kwargs, dynamo=True, verbose=False
                )
                made.save(file)
        except StepError as error:
            return str(error)
    return file.getvalue()


def emit(setup: Setup) -> str:
    """Code that turns `model, args, kwargs` into `run()`."""
    threads = setup.threads or 0
    parallel = PARALLEL.format(threads=threads) if setup.engine.endswith(":parallel") else ""
    return emit_exported(setup, CODE.format(threads=threads, parallel=parallel), CALLED)
