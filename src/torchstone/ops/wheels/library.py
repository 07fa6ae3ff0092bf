"""Read everything that torch's macOS library says of its MPS kernels: the deep part of the facts."""

from pathlib import Path

from torchstone.ops.wheels.facts import KeptRefusal, KernelFacts, LibraryFacts
from torchstone.ops.wheels.kernel_dtypes import KernelNames, dtypes_of_operator, group_by_stem
from torchstone.ops.wheels.macho import MachO
from torchstone.ops.wheels.metallib import read_function_names
from torchstone.ops.wheels.refusals import base_name, find_refusals
from torchstone.ops.wheels.registrations import Registration, find_registrations
from torchstone.ops.wheels.walking import Walker
from torchstone.ops.wheels.yaml_table import COMPOSITES

MEMBER = "torch/lib/libtorch_cpu.dylib"
_COMPOSITE_DEPTH = 3
"""How far a composite's kernel is followed for the operators that it calls."""


def read_library(path: Path) -> LibraryFacts:
    """The facts of a macOS library. Raises `ValueError` where it has another form."""
    library = MachO(path)
    registrations = find_registrations(library)
    kernels = _read_kernels(library)
    walker = Walker(library)
    mps = {one.operator: _kernel_facts(one, walker, kernels) for one in registrations if one.key == "MPS"}
    composites = {key: _operators(registrations, key) for key in COMPOSITES}
    return LibraryFacts(
        mps=mps,
        cpu=_operators(registrations, "CPU"),
        composites=composites,
        calls={
            one.operator: tuple(sorted(walker.walk(one.kernels, _COMPOSITE_DEPTH).calls))
            for one in registrations
            if one.key in COMPOSITES and one.operator not in mps
        },
    )


def _operators(registrations: list[Registration], key: str) -> tuple[str, ...]:
    return tuple(sorted({one.operator for one in registrations if one.key == key}))


def _read_kernels(library: MachO) -> KernelNames:
    """The Metal kernels of the library's largest Metal section: the sections are the same for different Metals."""
    sections = [read_function_names(library.bytes_of(name)) for name in library.sections if name.startswith("metal")]
    if not sections:
        raise ValueError("the library holds no compiled Metal kernels (2.5 and older embed their source)")
    largest = max(len(names) for names in sections)
    return group_by_stem(next(names for names in sections if len(names) == largest))


def _kernel_facts(registration: Registration, walker: Walker, kernels: KernelNames) -> KernelFacts:
    if registration.kind != "kernel":
        return KernelFacts(kind=registration.kind)
    walk = walker.walk(registration.kernels)
    found = dtypes_of_operator(base_name(registration.operator).strip("_"), walk, kernels)
    return KernelFacts(
        kind=registration.kind,
        dtypes=found.dtypes if found else (),
        stems=found.stems if found else (),
        uses_graph=walk.uses_graph,
        refusals=tuple(KeptRefusal(*one) for one in find_refusals(registration.operator, walk)),
    )
