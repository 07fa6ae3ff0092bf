"""Names that a person mistyped: refused with the nearest that exist."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NoReturn

from torchstone.errors import MOST_NAMES, UserError, nearest_names

SHORT = {
    "fp64": "float64",
    "double": "float64",
    "fp32": "float32",
    "float": "float32",
    "fp16": "float16",
    "half": "float16",
    "bf16": "bfloat16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "char": "int8",
    "byte": "uint8",
    "cfloat": "complex64",
    "cdouble": "complex128",
    "chalf": "complex32",
}
DTYPES = (
    "float32",
    "float16",
    "bfloat16",
    "float64",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
    "complex64",
    "complex128",
    "complex32",
    "uint16",
    "uint32",
    "uint64",
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
)


def refuse_unknown(what: str, name: str, known: Iterable[str], otherwise: str) -> NoReturn:
    """Raise the mistake, with the names that come nearest to it."""
    nearest = nearest_names(name, known, MOST_NAMES)
    raise UserError(f"no {what} {name!r}", f"did you mean {', '.join(nearest)}?" if nearest else otherwise)


def matching_names(what: str, names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Those that some pattern names, or all; a pattern that names none is refused."""
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            refuse_unknown(what, pattern, names, "without a pattern all are run")
    return [name for name in names if not patterns or any(fnmatchcase(name, one) for one in patterns)]


def full_dtypes(names: Iterable[str]) -> tuple[str, ...]:
    """`bf16,float32` and the like as torch names them."""
    parts = [part.strip().removeprefix("torch.") for name in names for part in name.split(",") if part.strip()]
    return tuple(dict.fromkeys(_full_dtype(part) for part in parts))


def _full_dtype(name: str) -> str:
    full = SHORT.get(name, name)
    if full not in DTYPES:
        refuse_unknown("dtype", name, (*DTYPES, *SHORT), f"dtypes: {', '.join(DTYPES)}")
    return full
