"""What one torch says of its operators, gathered from its files: plain data that is kept between runs.

The shallow part comes from text files (1.3 MB of a wheel); `library` needs the whole macOS library (77 MB).
"""

import msgspec

from torchstone.ops.wheels.ci_tables import CiTables
from torchstone.ops.wheels.derivatives import Backward
from torchstone.ops.wheels.op_infos import OpInfo

FORM = 4
"""Of the kept file: raise it whenever a reader changes, so that old facts are read anew."""


class KeptRefusal(msgspec.Struct, frozen=True):
    """A message in an operator's own kernel."""

    message: str
    dtypes: tuple[str, ...]
    conditional: bool


class KernelFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the macOS library shows of one operator's MPS kernel."""

    kind: str
    """`kernel`, `cpu fallback` or `error stub`."""
    dtypes: tuple[str, ...] = ()
    """Of the Metal kernels that it uses; empty where it is tied to none."""
    stems: tuple[str, ...] = ()
    uses_graph: bool = False
    refusals: tuple[KeptRefusal, ...] = ()


class LibraryFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the macOS library registers, exactly, and what its MPS kernels hold."""

    mps: dict[str, KernelFacts]
    cpu: tuple[str, ...]
    composites: dict[str, tuple[str, ...]]
    """By key, the operators registered under it."""
    calls: dict[str, tuple[str, ...]]
    """For each composite operator without an MPS kernel, the at::_ops that its kernel calls."""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is read of one torch."""

    form: int = FORM
    torch: str
    """The release, `2.15.0`."""
    source: str
    """What was read, for people: the wheel's file name, or the installed torch."""
    sha256: str
    """Of the wheel; for an installed torch, of the files that were read."""
    keys: dict[str, tuple[str, ...]]
    """native_functions.yaml: the dispatch keys with a kernel, by overload."""
    made_from: dict[str, str]
    headers: tuple[str, ...] | None
    """The base names in MPSFunctions_inl.h; None where the build has none (every system but macOS)."""
    python: tuple[str, ...]
    """Overloads that Python code registers for MPS."""
    ci: CiTables | None
    op_infos: tuple[OpInfo, ...]
    derivatives: dict[str, Backward]
    library: LibraryFacts | None = None
