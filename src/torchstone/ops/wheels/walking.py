"""Walk a macOS torch library from an operator's kernel: its strings, the aten operators that it calls, its stubs.

The registration names the kernel's address. From there the walk goes along calls, dispatch stubs and the bodies of
lambdas and blocks, within `at::native` only and a few levels deep, and collects what it meets. Strings are kept with
the function that they stand in, because a shared checker's message says nothing of one caller.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from torchstone.ops.wheels.instructions import Reference, find_references
from torchstone.ops.wheels.macho import MachO

DEPTH = 5
_LONGEST_FUNCTION = 400_000
_LONGEST_STRING = 2000
"""Anything longer is shader source."""
_ATEN_CALL = re.compile(r"__ZN2at4_ops(\d+)(\w+)")
_SOURCE_NAME = re.compile(r"L?(\d+)")
_OWN_KERNEL = re.compile(r"wrapper_|structured_")
_SHARED = re.compile(
    r"MetalShaderLibrary|getMPSDataType|Placeholder|MPSStream|MPSProfiler|MPSAllocator|runMPSGraph|getTensorsString"
    r"|MPSGraphCache|getMPSShape|getMPSScalar|scalarToMetalTypeString|TensorIterator|resize_|DispatchStub|is_macos"
    r"|MPSDevice|MPSHooks|needsGather|getMPSNDArray|mtl_set|getStridedMPSNDArray|LookUpOrCreate|make_mps_graph"
    r"|empty_mps|castMPSTensor|GraphTensorFrom|mpsGraph|gatherViewTensor|get_mem_format|mtl_dispatch|MPSKernelCache"
    r"|checkIndexTensorTypes|copy_|::zero_|::fill_|infer_size|Generator|^c10|^torch|autograd"
)
"""Machinery that every kernel shares: met, but not walked into."""
_NESTED = re.compile(r"Z(N(?:12_GLOBAL__N_1)?2at6native\S*?)E?3\$_\d")
_GRAPH = re.compile(r"MPSGraph|Placeholder")


@dataclass
class Walk:
    """What is reachable from one kernel."""

    strings: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Each string with the functions that it stands in."""
    calls: set[str] = field(default_factory=set)
    """Names of at::_ops structs: `add_Tensor` for `add.Tensor`."""
    functions: list[str] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)

    @property
    def uses_graph(self) -> bool:
        """Whether it runs on MPSGraph, whose dtypes nothing in the wheel tells."""
        return any(_GRAPH.search(name) for name in self.shared)

    @property
    def uses_metal(self) -> bool:
        return any("MetalShaderLibrary" in name for name in self.shared)


class Walker:
    """Walks one library; what it reads of a function is kept for the next walk."""

    def __init__(self, library: MachO) -> None:
        self._library = library
        self._references: dict[int, list[Reference]] = {}
        self._stubs = self._find_stubs()
        self._nested = self._find_nested()

    def walk(self, kernels: Iterable[int], depth: int = DEPTH) -> Walk:
        found = Walk()
        seen: set[int] = set()
        waiting = deque((address, 0) for address in kernels)
        while waiting:
            address, level = waiting.popleft()
            if address not in seen:
                seen.add(address)
                waiting.extend((following, level + 1) for following in self._visit(address, level < depth, found))
        return found

    def _visit(self, address: int, deeper: bool, found: Walk) -> list[int]:
        """Note what one function holds; where to go on from it."""
        name = self._library.function_names.get(address, "")
        own = name.split(".cold")[0]
        found.functions.append(qualified_name(name))
        onwards = list(self._nested.get(own.removeprefix("__Z"), ())) if deeper else []
        for reference in self._references_of(address):
            onwards += self._follow(reference, own, deeper, found)
        return onwards

    def _follow(self, reference: Reference, own: str, deeper: bool, found: Walk) -> list[int]:
        kind, address = reference
        if kind == "load":
            return self._follow_stub(self._library.variable_names.get(address, ""))
        if kind == "address":
            return self._follow_address(address, own, found)
        return self._follow_call(address, own, deeper, found)

    def _follow_address(self, address: int, own: str, found: Walk) -> list[int]:
        text = self._library.text_at(address)
        if text:
            if len(text) <= _LONGEST_STRING:
                found.strings[text].add(qualified_name(own))
            return []
        if "block_invoke" in self._library.function_names.get(address, ""):
            return [address]
        return self._follow_stub(self._library.variable_names.get(address, ""))

    def _follow_stub(self, variable: str) -> list[int]:
        return [self._stubs[variable]] if variable in self._stubs else []

    def _follow_call(self, address: int, own: str, deeper: bool, found: Walk) -> list[int]:
        name = self._library.function_names.get(address, "")
        aten = _ATEN_CALL.match(name)
        if aten is not None:
            found.calls.add(aten.group(2)[: int(aten.group(1))])
            return []
        is_own_part = name.split(".cold")[0] == own
        callee = qualified_name(name)
        if not _OWN_KERNEL.search(callee) and _SHARED.search(callee):
            found.shared.add(callee)
            return []
        walked = callee.startswith("at::native") or bool(_OWN_KERNEL.search(callee)) or is_own_part
        return [address] if name and deeper and walked else []

    def _references_of(self, address: int) -> list[Reference]:
        if address not in self._references:
            code = self._library.code_of(address)[:_LONGEST_FUNCTION]
            self._references[address] = find_references(code, address)
        return self._references[address]

    def _find_stubs(self) -> dict[str, int]:
        """Each dispatch stub with its MPS kernel, from the static initialisers of the Objective-C++ files."""
        stubs: dict[str, int] = {}
        for address, name in self._library.functions:
            if "GLOBAL__sub_I_" in name and name.endswith(".mm"):
                stubs |= self._stubs_of(address)
        return stubs

    def _stubs_of(self, initialiser: int) -> dict[str, int]:
        stubs: dict[str, int] = {}
        stub = ""
        for kind, address in self._references_of(initialiser):
            variable = self._library.variable_names.get(address, "")
            if kind == "address" and variable.endswith("_stubE"):
                stub = variable
            elif kind == "address" and stub and address in self._library.function_names:
                stubs[stub] = address
                stub = ""
        return stubs

    def _find_nested(self) -> dict[str, list[int]]:
        """The lambdas and blocks that stand inside each function of the MPS sources, by its mangled name."""
        nested: dict[str, list[int]] = defaultdict(list)
        for address, name in self._library.functions:
            if "mps" not in name.lower():
                continue
            if "block_invoke" in name:
                nested[name.partition("_block_invoke")[0].lstrip("_").removeprefix("Z")].append(address)
            elif "$_" in name and "clE" in name:
                for match in _NESTED.finditer(name):
                    nested[match.group(1)].append(address)
        return nested


def qualified_name(mangled: str) -> str:
    """`at::native::mps::foo` from a mangled name: the name alone, without the types of its arguments."""
    match = re.match(r"_+ZN[VK]*", mangled) or re.match(r"_+Z(?=L?\d)", mangled)
    if match is None:
        return mangled
    position, parts = match.end(), list[str]()
    while (part := _SOURCE_NAME.match(mangled, position)) is not None:
        position = part.end() + int(part.group(1))
        parts.append(mangled[part.end() : position])
    return "::".join(parts) or mangled
