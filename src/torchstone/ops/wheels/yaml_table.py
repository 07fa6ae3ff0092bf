"""Read native_functions.yaml: which overload has a kernel of its own on which dispatch key.

It is the one table that says so for every device at once, and it is in every wheel. It is read line by line here, and
not with torchgen: the torchgen at hand refuses the dispatch keys and tags of a newer release's file, and running the
torchgen inside a foreign wheel would run foreign code. What torchgen adds to the file is added here: structured
delegates are resolved, and the `autogen` overloads stand over the function that they are made from.
`tests/ops/wheels/test_yaml_table.py` holds the result equal to torchgen's own for every overload.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

COMPOSITES = (
    "CompositeExplicitAutogradNonFunctional",
    "CompositeExplicitAutograd",
    "CompositeImplicitAutograd",
)
"""Kernels made of other operators, in the order in which the dispatcher looks for them."""
KEYS = ("CPU", "CUDA", "MPS", "XPU", *COMPOSITES)
"""The dispatch keys that are kept; the others (sparse, quantised, nested) hold other layouts."""
_ENTRY = re.compile(r"^- func: ([\w.]+)\((.*)$")
_FIELD = re.compile(r"^  (structured|structured_delegate|autogen|dispatch|ufunc_inner_loop|tags):\s*([^#]*)")
_UFUNC_KEYS = {"CPU", "CUDA"}
"""For which torchgen makes kernels out of a `ufunc_inner_loop`."""
_DISPATCH = re.compile(r"^    ([A-Za-z][\w, ]*):\s*\w")


@dataclass
class Entry:
    """One function of the file, as it is written there."""

    name: str
    is_out: bool
    structured: bool = False
    delegate: str | None = None
    autogen: tuple[str, ...] = ()
    keys: set[str] = field(default_factory=set)
    has_dispatch: bool = False
    is_core: bool = False


class YamlTable(NamedTuple):
    """What the file says of every overload."""

    keys: dict[str, tuple[str, ...]]
    """The keys of `KEYS` under which each overload (`add.Tensor`) has a kernel."""
    made_from: dict[str, str]
    """The overloads whose kernel torchgen writes (`autogen`, structured), each with the one that it calls."""


def read_yaml(text: str) -> YamlTable:
    """Every overload with its keys, and which overloads are generated from which."""
    entries = {entry.name: entry for entry in _entries(text)}
    keys = {name: _kept(_keys(entry, entries)) for name, entry in entries.items()}
    made_from = {
        made: entry.name
        for entry in entries.values()
        if entry.is_core or "CompositeImplicitAutograd" not in keys[entry.name]  # torchgen's own condition
        for made in entry.autogen
        if made not in entries
    }
    delegates = {entry.name: entry.delegate for entry in entries.values() if entry.delegate in entries}
    return YamlTable(keys | dict.fromkeys(made_from, ("CompositeExplicitAutograd",)), delegates | made_from)


def _entries(text: str) -> Iterator[Entry]:
    entry: Entry | None = None
    in_dispatch = False
    for line in text.splitlines():
        if line.startswith("- func:"):
            if entry is not None:
                yield entry
            entry, in_dispatch = _begin(line), False
        elif entry is not None and line.startswith("    ") and in_dispatch:
            match = _DISPATCH.match(line)
            if match is not None:
                entry.keys |= {key.strip() for key in match.group(1).split(",")}
        elif entry is not None and (match := _FIELD.match(line)) is not None:
            in_dispatch = _note_field(entry, match.group(1), match.group(2).strip())
        elif line.strip() and not line.lstrip().startswith("#"):
            in_dispatch = False
    if entry is not None:
        yield entry


def _begin(line: str) -> Entry:
    match = _ENTRY.match(line)
    if match is None:
        raise ValueError(f"a line that is no schema: {line[:80]}")
    arguments = match.group(2).split("->")[0]
    keyword_arguments = arguments.partition("*,")[2]
    return Entry(match.group(1), is_out=bool(re.search(r"Tensor\([a-z]!\)", keyword_arguments)))


def _note_field(entry: Entry, name: str, value: str) -> bool:
    """Whether the lines that follow belong to the dispatch table."""
    if name == "structured":
        entry.structured = value == "True"
    elif name == "structured_delegate":
        entry.delegate = value
    elif name == "autogen":
        entry.autogen = tuple(part.strip() for part in value.split(","))
    elif name == "ufunc_inner_loop":
        entry.keys |= _UFUNC_KEYS
    elif name == "tags":
        entry.is_core = "core" in re.findall(r"\w+", value)
    else:
        entry.has_dispatch = True
        return True
    return False


def _keys(entry: Entry, entries: dict[str, Entry]) -> set[str]:
    keys = set(entry.keys)
    delegate = entries.get(entry.delegate or "")
    if delegate is not None:
        keys |= delegate.keys - set(COMPOSITES)
    if not entry.has_dispatch and delegate is None:
        keys.add("CompositeImplicitAutograd")
    if (entry.structured or delegate is not None) and not entry.is_out:
        # The generated kernel that allocates and calls the out overload: it works wherever that one has a kernel.
        keys.add("CompositeExplicitAutogradNonFunctional")
    return keys


def _kept(keys: set[str]) -> tuple[str, ...]:
    return tuple(key for key in KEYS if key in keys)
