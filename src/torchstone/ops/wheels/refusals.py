"""Tell which dtypes an operator refuses, in its own words: the messages that stand in its kernel.

A message counts only where the function that holds it names MPS, Metal or the operator: a checker that many operators
share raises for some of them alone. A message that speaks of shapes or sizes holds for some arguments only, so it
never refuses a dtype altogether.
"""

import re
from typing import NamedTuple

from torchstone.ops.wheels.walking import Walk

FLOATING = frozenset({"float32", "float16", "bfloat16"})
INTEGRAL = frozenset({"int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64"})
BOOLEAN = frozenset({"bool"})
COMPLEX = frozenset({"complex64", "complex32"})
EVERY = FLOATING | INTEGRAL | BOOLEAN | COMPLEX
_REFUSED_BY_WORDS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(pattern), dtypes)
    for pattern, dtypes in (
        (
            r"complex (inputs?|types?|tensors?|is|dtypes).*not (supported|implemented)"
            r"|not (supported|implemented) for complex|does(n't| not) support complex|Not implemented for complex"
            r"|for complex on MPS|[Cc]omplex types?[.] ?$",
            COMPLEX,
        ),
        (
            r"non-float|for non-floating"
            r"|only (supports? |supported for |implemented for |defined for |for )?[Ff]loating"
            r"|must be a floating.point tensor",
            INTEGRAL | BOOLEAN,
        ),
        (
            r"does not support .* with int64 input|Not implemented for long|(Long|int64) .*not supported",
            frozenset({"int64"}),
        ),
        (r"Bool inputs not supported|not supported for Bool|for bool is not supported|does not support bool", BOOLEAN),
        (
            r"[Oo]nly float is supported|only supports floats?[. t!]|float32 only|only supported for float32",
            EVERY - {"float32"},
        ),
        (r"Only float, bfloat and half", INTEGRAL | BOOLEAN | COMPLEX),
        (r"Only float and half dtypes", EVERY - {"float32", "float16"}),
        (r"BF16 or FP16 types is not supported|Low precision dtypes not supported", frozenset({"bfloat16", "float16"})),
    )
)
_OF_ANOTHER_DEVICE = re.compile(r"on CPU|CUDA|sparse|mkldnn|MKL", re.IGNORECASE)
_CONDITIONAL = re.compile(r"[1-5]D|divisor|divisible|half to float|larger than|elements|dimensions|_i64|sizes")
"""Words of a message that holds for some shapes or arguments only."""
_LIMIT = re.compile(
    r"not (supported|implemented|yet)|unsupported|doesn't support|does not support|must be|only support", re.I
)
_LONGEST_MESSAGE = 300


class Refusal(NamedTuple):
    """What a kernel's message says: the dtypes that it refuses, and whether for some arguments only."""

    message: str
    dtypes: tuple[str, ...]
    conditional: bool


def find_refusals(operator: str, walk: Walk) -> tuple[Refusal, ...]:
    """The refusals that stand in an operator's own kernel, dtypes and limits alike."""
    return tuple(
        Refusal(message, tuple(sorted(_refused(message))), bool(_CONDITIONAL.search(message)))
        for message, functions in sorted(walk.strings.items())
        if _is_refusal(message) and _is_own(operator, functions)
    )


def base_name(operator: str) -> str:
    """`add` for `add_.Tensor`: the name without its overload and without the mark of an in-place form."""
    name = operator.split(".")[0]
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


def _is_refusal(message: str) -> bool:
    plain = " " in message and len(message) < _LONGEST_MESSAGE and not _OF_ANOTHER_DEVICE.search(message)
    return plain and bool(_refused(message) or _LIMIT.search(message))


def _is_own(operator: str, functions: set[str]) -> bool:
    own = base_name(operator).strip("_")
    return any(re.search("mps|metal", name, re.IGNORECASE) or own in name for name in functions)


def _refused(message: str) -> frozenset[str]:
    return frozenset().union(*(dtypes for pattern, dtypes in _REFUSED_BY_WORDS if pattern.search(message)))
