"""What can be made to go wrong on the pretend device, and which op it concerns.

Ops are named as PyTorch names them: `cumsum` or `aten::cumsum` means every overload, `aten::add.Tensor` one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from torchstone.pretend.faults import Fault

NAME_SETS = ("missing", "wrong", "fallback", "leak_ops", "rejected_dtypes", "spoiled_copies")
STRIDED, NON_BLOCKING = "strided", "non_blocking"


@dataclass(frozen=True)
class Knobs:
    """Every default is harmless: a device that can do all, at no cost in time."""

    missing: frozenset[str] = frozenset()
    """Ops that raise NotImplementedError."""
    wrong: frozenset[str] = frozenset()
    """Ops whose floating results are visibly wrong, always in the same way."""
    slow: Mapping[str, float] = field(default_factory=dict)
    """Extra device seconds a call, by op."""
    fallback: frozenset[str] = frozenset()
    """Ops that warn, once each, that they run on the CPU."""
    rejected_dtypes: frozenset[str] = frozenset()
    """Data types, such as `float64`, that cannot exist on the device."""
    op_seconds: float = 0.0
    """Device seconds of every op."""
    asynchronous: bool = False
    """Whether ops return before the device is done."""
    transfer_bytes_per_s: float | None = None
    """Speed of copies between host and device; None is free of cost."""
    capacity_bytes: int | None = None
    """The device's memory; None is without limit."""
    counters: bool = True
    """Whether the device reports its memory at all."""
    leak_bytes_per_call: int = 0
    """Device bytes lost in each call of `leak_ops`."""
    leak_ops: frozenset[str] = frozenset()
    """Ops that leak; empty is every op."""
    leak_driver_only: bool = False
    """Whether the leak shows in the driver's counter alone."""
    synchronize_waits: bool = True
    """Whether synchronize comes back only when the device is done."""
    frozen_counters: bool = False
    """Whether the memory counters stand still."""
    empty_cache_frees: bool = True
    """Whether emptying the cache gives anything back."""
    seeds_repeat: bool = True
    """Whether the same seed gives the same random numbers."""
    spoiled_copies: frozenset[str] = frozenset()
    """Copies between host and device that arrive with another last element: `strided`, `non_blocking`, or a dtype."""
    watts: float | None = None
    """Power of the device while it is busy, for its energy counter; None is without a counter."""
    users_folder: str | None = None
    """A folder where each process signs in that works on the device; one that dies there ends it for all others."""
    faults: Mapping[str, Fault] = field(default_factory=dict)
    """What an op does instead, by op: see `torchstone.pretend.faults`."""
    fused_attention: bool = False
    """Whether attention is one op of the device's own, as on real accelerators, and not made of plain ops."""
    freed_blocks_kept: int = 0
    """How many freed blocks are remembered, with what they held, for a fault to read: `machine.freed_blocks`."""

    def __post_init__(self) -> None:
        for name in NAME_SETS:
            object.__setattr__(self, name, frozenset(getattr(self, name)))

    def op_names(self) -> frozenset[str]:
        """Every op that some knob names."""
        return self.missing | self.wrong | self.fallback | self.leak_ops | frozenset(self.slow) | frozenset(self.faults)


@dataclass(frozen=True)
class Behaviour:
    """What the knobs mean for one op."""

    missing: bool = False
    wrong: bool = False
    fallback: bool = False
    seconds: float = 0.0
    leak_bytes: int = 0
    fault: Fault | None = None


def knob_names() -> frozenset[str]:
    """The names that `configure` takes."""
    return frozenset(knob.name for knob in fields(Knobs))


def spellings(op_name: str) -> tuple[str, str, str, str]:
    """The four ways to name the op `aten::add.Tensor`: with and without namespace and overload."""
    base = op_name.split(".")[0]
    return op_name, base, op_name.split("::")[-1], base.split("::")[-1]


def behaviour_of(op_name: str, knobs: Knobs) -> Behaviour:
    """Read the knobs for one op; `op_name` is complete, as in `aten::add.Tensor`."""
    names = spellings(op_name)
    leaks = not knobs.leak_ops or _names_any(knobs.leak_ops, names)
    return Behaviour(
        missing=_names_any(knobs.missing, names),
        wrong=_names_any(knobs.wrong, names),
        fallback=_names_any(knobs.fallback, names),
        seconds=knobs.op_seconds + max((knobs.slow.get(name, 0.0) for name in names), default=0.0),
        leak_bytes=knobs.leak_bytes_per_call if leaks else 0,
        fault=next((knobs.faults[name] for name in names if name in knobs.faults), None),
    )


def _names_any(wanted: Any, names: tuple[str, ...]) -> bool:
    return any(name in wanted for name in names)
