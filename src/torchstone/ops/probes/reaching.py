"""Which base calls reach an operator: what is probed of a model is what the model calls."""

from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode

from torchstone.ops.probes.bases import Base, all_bases
from torchstone.ops.probes.calling import perform, prepare
from torchstone.ops.probes.conditions import FORWARD, LOWERED, Point


def bases_reaching(operators: set[str]) -> list[str]:
    """The names of the base calls that become one of these operators (`gelu`) on the CPU, the closest first."""
    found = [(len(ops), base.name) for base in all_bases() if (ops := reached(base)) & operators]
    return [name for _, name in sorted(found)]


def reached(base: Base) -> frozenset[str]:
    """The operators that its plain call becomes, views and bookkeeping left out."""
    with _Names() as seen:
        perform(base, prepare(base, Point(base.dtypes[0]), LOWERED), FORWARD)
    return frozenset(seen.names)


class _Names(TorchDispatchMode):  # type: ignore[no-untyped-call]
    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.names: set[str] = set()

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not function.is_view:
            self.names.add(function.overloadpacket.__name__)
        return function(*args, **(kwargs or {}))
