"""torchao: linear layers in eight-bit integers, activations too (dynamic) or weights alone.

It is right only to what eight bits can hold; the record says how far it is off.
"""

import copy
import importlib.util
import warnings
from typing import Any

import torch
from torch import nn

from torchstone.engines import Prepared, naming
from torchstone.models.emitting import emit_placing
from torchstone.models.placing import changed, place_inputs, place_model
from torchstone.models.subject import Subject
from torchstone.records import PLAIN_DTYPE, Device, Setup

COST = 1
HEEDS = ("threads",)
CONFIGURATIONS = {"int8 dynamic": "Int8DynamicActivationInt8WeightConfig", "int8 weight-only": "Int8WeightOnlyConfig"}
CODE = """\
from torchao.quantization import {configuration}, quantize_
quantize_(model, {configuration}())

def run():
    with torch.inference_mode():
        return model(*args, **kwargs)
"""


def explain_absence() -> str | None:
    """What to install."""
    if importlib.util.find_spec("torchao") is None:
        return "torchao not installed: pip install 'torchstone[engines]'"
    return None


def setups(device: Device, subject: Subject, plain: Setup) -> tuple[Setup, ...]:
    """Where there are linear layers: it does nothing to convolutions."""
    has_linear = any(isinstance(layer, nn.Linear) for layer in subject.model.modules())
    if plain.dtype != PLAIN_DTYPE or not has_linear:
        return ()
    return tuple(changed(plain, engine="torchao", precision=precision) for precision in CONFIGURATIONS)


def prepare(subject: Subject, setup: Setup, batch: int) -> Prepared | str:
    """A copy with its linear layers quantised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own deprecations, and what it says of missing kernels
        from torchao import quantization

        model = copy.deepcopy(place_model(subject.model, setup)).to(setup.device)
        with naming("the quantisation"):
            quantization.quantize_(model, getattr(quantization, CONFIGURATIONS[setup.precision])())
    inputs = place_inputs(subject.inputs(batch), setup)

    def call() -> Any:
        with torch.inference_mode():
            return model(*inputs.args, **inputs.kwargs)

    return Prepared(call, model, inputs)


def emit(setup: Setup) -> str:
    """Code that turns `model, args, kwargs` into `run()`."""
    return emit_placing(setup) + CODE.format(configuration=CONFIGURATIONS[setup.precision])
