"""Read derivatives.yaml: which functions the backward pass of each operator calls.

A formula names aten operators and C++ functions alike (`_cdist_backward(grad, …)`, `mul_tensor_backward(…)`); the
names are kept as they stand, and whoever judges knows which of them are operators. What a formula calls under a
condition (`a ? b(…) : c(…)`) is kept apart: it may never run.
"""

import re
from collections.abc import Iterator

import msgspec

MEMBER = "torchgen/packaged/autograd/derivatives.yaml"
_ENTRY = re.compile(r"^- name: ([\w.]+)\((.*)\) ->")
_LINE = re.compile(r"^ {2,6}([\w, ]+): (.+)$")
_CALL = re.compile(r"([A-Za-z_]\w*)\s*\(")
_ARGUMENT = re.compile(r"(\w+)(?:=[^,]*)?(?:,|$)")
NOT_IMPLEMENTED = "not_implemented"
_WORDS = {"if", "for", "IntArrayRef", "SymIntArrayRef", "Scalar", "Tensor", "TensorList", "std"}


class Backward(msgspec.Struct, frozen=True):
    """The functions that an operator's backward pass calls."""

    always: tuple[str, ...] = ()
    sometimes: tuple[str, ...] = ()


def read_derivatives(text: str) -> dict[str, Backward]:
    """For each overload with a formula: what its backward pass calls."""
    return {name: _backward(schema, lines) for name, schema, lines in _entries(text)}


def _entries(text: str) -> Iterator[tuple[str, str, list[str]]]:
    name, schema, lines = "", "", list[str]()
    for line in text.splitlines():
        match = _ENTRY.match(line)
        if match is not None:
            if name:
                yield name, schema, lines
            name, schema, lines = match.group(1), match.group(2), []
        elif name and not line.lstrip().startswith("#"):
            lines.append(line)
    if name:
        yield name, schema, lines


def _backward(schema: str, lines: list[str]) -> Backward:
    """Only the lines of arguments count: those of outputs are forward-mode derivatives."""
    arguments = set(_ARGUMENT.findall(schema))
    always, sometimes = set[str](), set[str]()
    for line in lines:
        match = _LINE.match(line)
        if match is not None and {word.strip() for word in match.group(1).split(",")} & arguments:
            called = set(_CALL.findall(match.group(2))) - _WORDS
            if " ? " in match.group(2):
                sometimes |= called
            else:
                always |= called
    return Backward(tuple(sorted(always)), tuple(sorted(sometimes - always)))
