"""The sample that shows a verdict as a program of its own, to paste into a bug report.

Small arguments are written out; large ones are made again by torch's own sample function from the same seed.
"""

import zlib
from typing import Any

import torch

from torchstone.ops.operators import Operator, Sample, dtype_name, pick_samples
from torchstone.ops.placing import tensors

MOST_ELEMENTS = 96
"""Written out; more would hide the call."""
PACKAGES = {"vulkan": "torchvulkan", "npu": "torch_npu", "hpu": "habana_frameworks.torch", "musa": "torch_musa"}


def reproduction(operator: Operator, dtype: torch.dtype, direction: str, number: int, device: str) -> str:
    """A program that prints what the device gives and what the CPU gives in float64."""
    wants_gradient = dtype in operator.gradient_dtypes
    sample = next(one for one in pick_samples(operator, dtype, wants_gradient, None) if one.number == number).sample
    written = _written(operator, sample)
    making = written if written is not None else _made(operator, dtype, number, wants_gradient)
    return "\n".join(
        [
            f"# {operator.full_name}, {dtype_name(dtype)}, {direction}, on {device}: torch {torch.__version__}",
            *_imports(device),
            "",
            *making,
            "",
            *_HELPERS,
            *(_BACKWARD if direction == "backward" else _FORWARD),
            f'print("{device}:", run("{device}"))',
            'print("cpu in float64:", run("cpu", torch.float64))',
            "",
        ]
    )


def _imports(device: str) -> list[str]:
    kind = device.split(":")[0]
    if kind == "pretend":
        return ["import torch", "import torchstone.pretend", "", "torchstone.pretend.install()"]
    return ["import torch", *([f"import {PACKAGES[kind]}"] if kind in PACKAGES else [])]


def _written(operator: Operator, sample: Sample) -> list[str] | None:
    function = _public_name(operator)
    arguments = (sample.args, dict(sample.kwargs))
    if function is None or sum(one.numel() for one in tensors(arguments)) > MOST_ELEMENTS:
        return None
    try:
        return [f"call = {function}", f"args = {_literal(sample.args)}", f"kwargs = {_literal(dict(sample.kwargs))}"]
    except ValueError:
        return None


def _public_name(operator: Operator) -> str | None:
    """The name under which anybody finds the very function that is called."""
    found: Any = torch
    for part in operator.name.split("."):
        found = getattr(found, part, None)
    return f"torch.{operator.name}" if found is operator.call else None


def _literal(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return _tensor_literal(value)
    if isinstance(value, torch.Size):
        return f"torch.Size({list(value)})"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(_literal(item) for item in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, torch.device):
        return f'torch.device("{value}")'
    if (isinstance(value, float) and value != value) or value in (float("inf"), float("-inf")):
        return f'float("{value}")'
    if isinstance(value, (bool, int, float, complex, str, torch.dtype, type(None))):
        return repr(value)
    raise ValueError(f"{type(value).__name__} can't be written out")


def _tensor_literal(tensor: torch.Tensor) -> str:
    if tensor.layout != torch.strided:
        raise ValueError("not a dense tensor")
    values = repr(tensor.detach().tolist()).replace("nan", 'float("nan")').replace("inf", 'float("inf")')
    shape = f".reshape({list(tensor.shape)})" if tensor.numel() == 0 else ""
    gradient = ".requires_grad_()" if tensor.requires_grad else ""
    return f"torch.tensor({values}, dtype={tensor.dtype}){shape}{gradient}"


def _made(operator: Operator, dtype: torch.dtype, number: int, wants_gradient: bool) -> list[str]:
    seed = zlib.crc32(f"{operator.full_name} {dtype}".encode())
    if operator.source != "OpInfo":
        return [
            "from torchstone.ops.catalog import all_operators",
            "",
            f"info = next(one for one in all_operators() if one.full_name == {operator.full_name!r})",
            f"torch.manual_seed({seed})",
            f"sample = list(info.sampler({dtype}, {wants_gradient}))[{number}]",
            "call, args, kwargs = info.call, sample.args, dict(sample.kwargs)",
        ]
    return [
        "import random",
        "import numpy",
        "from torch.testing._internal.common_methods_invocations import op_db",
        "",
        f"name, variant = {operator.name!r}, {operator.variant!r}",
        "info = next(one for one in op_db if (one.name, one.variant_test_name) == (name, variant))",
        f"torch.manual_seed({seed})",
        f"random.seed({seed})",
        f"numpy.random.seed({seed})",
        f'sample = list(info.sample_inputs("cpu", {dtype}, requires_grad={wants_gradient}))[{number}]',
        "call, args, kwargs = info.op, (sample.input, *sample.args), sample.kwargs",
    ]


_HELPERS = (
    "",
    "def place(value, device, wide=None):",
    "    if isinstance(value, torch.Tensor):",
    "        floats = value.is_floating_point() or value.is_complex()",
    "        dtype = (torch.complex128 if value.is_complex() else wide) if wide and floats else value.dtype",
    "        return value.detach().to(device, dtype, copy=True).requires_grad_(value.requires_grad)",
    "    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):",
    "        return type(value)(place(item, device, wide) for item in value)",
    "    if isinstance(value, torch.dtype) and wide and value.is_floating_point:",
    "        return wide",
    "    return device if str(value) == 'cpu' else value",
    "",
    "",
)
_FORWARD = (
    "def run(device, wide=None):",
    "    return call(*place(args, device, wide), **{key: place(value, device, wide) for key, value in kwargs.items()})",
    "",
    "",
)
_BACKWARD = (
    "def run(device, wide=None):",
    "    given = place(args, device, wide)",
    "    output = call(*given, **{key: place(value, device, wide) for key, value in kwargs.items()})",
    "    outputs = output if isinstance(output, (list, tuple)) else [output]",
    "    total = sum(one.abs().sum() for one in outputs if one.requires_grad)",
    "    flat = [one for item in given for one in (item if isinstance(item, (list, tuple)) else [item])]",
    "    inputs = [one for one in flat if isinstance(one, torch.Tensor) and one.requires_grad]",
    "    return torch.autograd.grad(total, inputs, allow_unused=True)",
    "",
    "",
)
