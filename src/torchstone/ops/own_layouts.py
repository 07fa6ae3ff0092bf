"""Quantised and nested tensors: operators on them, where a device claims to have them.

Most accelerators have neither, and a list of refusals would say nothing. A claim is a kernel that is registered for the
device's quantised or nested tensors. Samples are plain tensors, so that the same call can be made anywhere.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch.nn import functional

from torchstone.ops.operators import Operator, Sample

SCALE, ZERO = 0.05, 100
"""Of an unsigned byte: from -5 to 7.75."""
FLOAT = frozenset({torch.float32})
PADDED = "aten::to_padded_tensor"
Call = Callable[[torch.Tensor], torch.Tensor]
QUANTISED: tuple[tuple[str, str, Call], ...] = (
    ("dequantize", "aten::dequantize.self", lambda x: x),
    ("relu", "aten::relu", torch.relu),
    ("gelu", "aten::gelu", functional.gelu),
    ("max_pool2d", "aten::quantized_max_pool2d", lambda x: torch.quantized_max_pool2d(x, (2, 2))),
)
NESTED: tuple[tuple[str, str, Call], ...] = (
    ("to_padded_tensor", PADDED, lambda x: x),
    ("linear", "aten::linear", lambda x: functional.linear(x, torch.eye(8, dtype=x.dtype, device=x.device).flip(0))),
    ("gelu", "aten::gelu", functional.gelu),
    ("softmax", "aten::_softmax", lambda x: torch.softmax(x, -1)),
    ("layer_norm", "aten::native_layer_norm", lambda x: _norm(x)),
    ("matmul", "aten::matmul", lambda x: torch.matmul(x, x.transpose(1, 2))),
)


def _norm(x: torch.Tensor) -> torch.Tensor:
    weight = torch.arange(8, dtype=x.dtype, device=x.device)
    return functional.layer_norm(x, (8,), weight, weight)


def layout_operators() -> Iterator[Operator]:
    """All of them; whether a device has them is asked of each."""
    for name, aten, call in QUANTISED:
        claims = (f"{aten}@Quantized", "aten::dequantize.self@Quantized")
        whole = partial(through_bytes, call)
        yield Operator(f"quantized.{name}", "", aten, whole, _images, FLOAT, source="torchstone", claims=claims)
    for name, aten, call in NESTED:
        claims = (f"{aten}@NestedTensor", f"{PADDED}@NestedTensor")
        whole = partial(through_rows, call)
        yield Operator(f"nested.{name}", "", aten, whole, _rows, FLOAT, source="torchstone", claims=claims)


def through_bytes(call: Call, x: torch.Tensor) -> torch.Tensor:
    """A quantised tensor of it, called, and back."""
    quantised = torch.quantize_per_tensor(x, SCALE, ZERO, torch.quint8)
    return call(quantised).dequantize()


def through_rows(call: Call, *parts: torch.Tensor) -> Any:
    """One nested tensor of all parts, called, and padded to a plain one."""
    nested = torch.nested.as_nested_tensor(list(parts), layout=torch.strided)
    return torch.nested.to_padded_tensor(call(nested), 0.0)


def _images(dtype: torch.dtype, _: bool) -> Iterator[Sample]:
    for shape in ((1, 2, 4, 6), (2, 3, 8, 8)):
        yield Sample((torch.randn(shape, dtype=dtype),))


def _rows(dtype: torch.dtype, _: bool) -> Iterator[Sample]:
    for lengths in ((3, 5), (1, 4, 2)):
        yield Sample(tuple(torch.randn(length, 8, dtype=dtype) for length in lengths))
