"""Find out which operators a macOS torch library registers for which dispatch key, and with which kernel.

Each `TORCH_LIBRARY_IMPL(aten, MPS, …)` block becomes a function of its own whose local symbol the library keeps. Its
code forms the address of the operator's name, then that of the kernel, and calls `Library::_impl`: reading those three
in order gives the dispatcher's table without running anything.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from torchstone.ops.wheels.instructions import Reference, find_references
from torchstone.ops.wheels.macho import MachO

Kind = Literal["kernel", "cpu fallback", "error stub"]
_BLOCK = re.compile(r"TORCH_LIBRARY_IMPL_init_(\w+?)_([A-Za-z]+)_(\d+)ERN5torch7LibraryE")
_REGISTER = "__ZNR5torch7Library5_implEPKcONS_11CppFunctionE"
_OPERATOR = re.compile(r"^(?:\w+::)?[A-Za-z_]\w*(?:\.\w+)?$")
_MAKES_KERNEL = "make_boxed_from_unboxed_functor"


class Registration(NamedTuple):
    """One operator under one key, with the addresses and names that its kernel was made from."""

    key: str
    operator: str
    """Without `aten::`."""
    kind: Kind
    kernels: tuple[int, ...]
    """Addresses of code."""


def find_registrations(library: MachO) -> list[Registration]:
    """Every registration of the aten namespace, block by block. Raises `ValueError` where there is none to see."""
    found = [
        registration
        for key, references in _blocks(library)
        for registration in _registrations_of_block(library, key, references)
    ]
    if not found:
        raise ValueError("the library keeps no symbols of its operator registrations")
    return found


def _blocks(library: MachO) -> Iterator[tuple[str, list[Reference]]]:
    for address, name in library.functions:
        match = _BLOCK.search(name)
        if match is not None and match.group(1) == "aten":
            yield match.group(2), find_references(library.code_of(address), address)


def _registrations_of_block(library: MachO, key: str, references: list[Reference]) -> Iterator[Registration]:
    operator: str | None = None
    kernels: list[int] = []
    names: list[str] = []
    fallback_kept = False
    for kind, address in references:
        name = library.function_names.get(address, "")
        text = library.text_at(address) if kind == "address" else None
        if text is not None and _OPERATOR.match(text):
            operator = text.removeprefix("aten::")
        elif kind == "call" and name.startswith(_REGISTER):
            fallback_kept = fallback_kept or _names_fallback(names)
            if operator is not None:
                yield Registration(key, operator, _kind(names, fallback_kept), tuple(kernels))
            operator, kernels, names = None, [], []
        elif kind in ("address", "call", "jump"):
            names += [name] if name else []
            kernels += [address] if kind == "address" and library.is_code(address) else []


def _names_fallback(names: list[str]) -> bool:
    return any("mps_fallback" in name for name in names)


def _kind(names: list[str], fallback_kept: bool) -> Kind:
    """`fallback_kept`: a block that registers several fallbacks forms the pointer once and keeps it in a register."""
    if any("mps_error_fallback" in name or "slow_conv2d_forward_mps" in name for name in names):
        return "error stub"
    if _names_fallback(names) or (fallback_kept and not any(_MAKES_KERNEL in name for name in names)):
        return "cpu fallback"
    return "kernel"
