"""Tell the dtypes of an operator's Metal kernels by their names.

A kernel is compiled once for each dtype, and its name carries it: `softmax_float`, `index_put_half_int`. Names that
differ by dtype alone share a stem; an operator is tied to the stems that its kernel names in strings (whole, or as a
format such as `{}_dense_{}`), and to those that bear its own name.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from torchstone.ops.wheels.walking import Walk

_DTYPES = {
    "float": "float32",
    "half": "float16",
    "bfloat": "bfloat16",
    "float2": "complex64",
    "half2": "complex32",
    "int": "int32",
    "long": "int64",
    "short": "int16",
    "char": "int8",
    "uchar": "uint8",
    "bool": "bool",
    "ushort": "uint16",
    "uint": "uint32",
    "ulong": "uint64",
    "float16": "float16",
    "bfloat16": "bfloat16",
    "float32": "float32",
    "int64_t": "int64",
    "int32_t": "int32",
    "int16_t": "int16",
    "int8_t": "int8",
    "uint8_t": "uint8",
}
_MODES = {
    "dense",
    "strided",
    "cast",
    "castout",
    "ilp",
    "scalar",
    "lhs",
    "broadcast",
    "inner",
    "outer",
    "contiguous",
}
"""Words of a kernel's name that say how it walks memory, not what it computes."""
_WORD = re.compile(r"u?int\d+_t|[^_]+")
_FUNCTION = re.compile(
    r"(?:structured_|wrapper_MPS_+)?(\w+?)"
    r"(?:_out|_kernel|_mps|_metal|_impl|_template|_Tensor|_Scalar|_functional|_inplace|_)*$"
)
_FORMAT = re.compile(r"[A-Za-z0-9_{}:]+")


class KernelNames(NamedTuple):
    """The Metal kernels of one library, by stem."""

    dtypes: dict[str, frozenset[str]]
    names: dict[str, tuple[str, ...]]


class KernelDtypes(NamedTuple):
    """The dtypes in which an operator has Metal kernels, and the stems that tell."""

    dtypes: tuple[str, ...]
    stems: tuple[str, ...]


def group_by_stem(names: Iterable[str]) -> KernelNames:
    """Kernel names with the dtypes taken out, each with the dtypes that it has."""
    dtypes: dict[str, set[str]] = defaultdict(set)
    members: dict[str, list[str]] = defaultdict(list)
    for name in names:
        stem, found = split_name(name)
        dtypes[stem] |= found
        members[stem].append(name)
    return KernelNames(
        {stem: frozenset(found) for stem, found in dtypes.items()},
        {stem: tuple(found) for stem, found in members.items()},
    )


def split_name(name: str) -> tuple[str, set[str]]:
    """The stem and the dtypes of one kernel's name."""
    words, dtypes = list[str](), set[str]()
    for word in _WORD.findall(name):
        if word in _DTYPES:
            dtypes.add(_DTYPES[word])
        elif not dtypes and word not in _MODES and not word.isdigit():
            words.append(word)
    return "_".join(words), dtypes


def dtypes_of_operator(operator: str, walk: Walk, kernels: KernelNames) -> KernelDtypes | None:
    """The dtypes of the Metal kernels that an operator uses; None where it is tied to none."""
    stems = _named_in_strings(walk, kernels) | _named_like_functions(walk, kernels)
    if stems:
        stems |= {stem for stem in kernels.dtypes if stem == operator or stem.startswith(f"{operator}_")}
    dtypes = {dtype for stem in stems for dtype in kernels.dtypes[stem]}
    return KernelDtypes(tuple(sorted(dtypes)), tuple(sorted(stems)[:3])) if dtypes else None


def _named_in_strings(walk: Walk, kernels: KernelNames) -> set[str]:
    found: set[str] = set()
    for text in walk.strings:
        stem = text.removesuffix("_")
        if stem in kernels.dtypes and len(stem) > 1:
            found.add(stem)
        elif "{}" in text and _FORMAT.fullmatch(text) and re.search("[a-z]{2}", text):
            found |= _matching_format(text, kernels)
    return found


def _matching_format(text: str, kernels: KernelNames) -> set[str]:
    beginning = text.partition("{")[0].rstrip("_")
    if not beginning:
        return set()
    pattern = re.compile(re.sub(r"\\\{[^}]*\\\}", "[A-Za-z0-9_]*?", re.escape(text)))
    return {
        stem
        for stem, names in kernels.names.items()
        if stem.startswith(beginning) and any(pattern.fullmatch(name) for name in names)
    }


def _named_like_functions(walk: Walk, kernels: KernelNames) -> set[str]:
    """Kernels whose stem is the name of a function on the way, where Metal libraries are used at all."""
    if not walk.uses_metal:
        return set()
    candidates = {_short_name(name) for name in walk.functions if re.search("mps|metal|^at::native::", name, re.I)}
    return candidates & set(kernels.dtypes)


def _short_name(function: str) -> str:
    parts = function.split("::")
    own = parts[-2] if parts[-1] in ("impl", "meta") and len(parts) > 1 else parts[-1]
    match = _FUNCTION.match(own)
    return match.group(1) if match is not None else own
