"""What an upgrade of torch brings on a device, by operator: gained and lost.

Not by dtype: operators move from MPSGraph, whose dtypes nothing tells, to Metal kernels, whose names tell them, so a
difference by dtype would mostly be one of visibility.
"""

from collections import defaultdict

import msgspec

from torchstone.errors import UserError
from torchstone.ops.wheels.evidence import Evidence
from torchstone.ops.wheels.refusals import base_name

_WORKS = ("native", "fallback", "composite")


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """From one torch to another, on one device; every list holds base names (`aten::linalg_qr`)."""

    device: str
    before: str
    after: str
    gained: tuple[str, ...]
    """Could not run, and now can."""
    lost: tuple[str, ...]
    gained_kernels: tuple[str, ...]
    """Ran before too, through the CPU or other operators; now has a kernel of its own."""
    lost_kernels: tuple[str, ...]
    new: tuple[str, ...]
    """Operators that the older torch does not have at all, and that run on the device."""
    removed: tuple[str, ...]


def difference(before: Evidence, after: Evidence) -> Difference:
    """What changed between two torches, for operators that both have."""
    if before.device != after.device:
        raise UserError(
            f"{before.device} and {after.device} are two devices", "a difference by release needs one and the same"
        )
    runs_before, runs_after = _running(before), _running(after)
    native_before, native_after = _with_kernels(before), _with_kernels(after)
    known_before, known_after = _names(before.operators), _names(after.operators)
    both = known_before & known_after
    gained, lost = (runs_after - runs_before) & both, (runs_before - runs_after) & both
    return Difference(
        device=before.device,
        before=before.torch,
        after=after.torch,
        gained=_listed(gained),
        lost=_listed(lost),
        gained_kernels=_listed(((native_after - native_before) & both) - gained),
        lost_kernels=_listed(((native_before - native_after) & both) - lost),
        new=_listed((known_after - known_before) & runs_after),
        removed=_listed(known_before - known_after),
    )


def _running(evidence: Evidence) -> set[str]:
    """Base names that run: by the overloads with kernels of their own anywhere, else by any."""
    deciding: dict[str, list[str]] = defaultdict(list)
    for one in evidence.operators:
        deciding[base_name(one)].append(one)
    return {name for name, overloads in deciding.items() if _runs(evidence, overloads)}


def _runs(evidence: Evidence, overloads: list[str]) -> bool:
    own = [one for one in overloads if evidence.has_kernels_anywhere(one)] or overloads
    return any(evidence.status_of(one) in _WORKS for one in own)


def _with_kernels(evidence: Evidence) -> set[str]:
    """Base names of which some overload has a kernel of the device's own; a fallback to the CPU is none."""
    return {base_name(one) for one in evidence.native if evidence.status_of(one) == "native"}


def _names(operators: tuple[str, ...]) -> set[str]:
    return {base_name(one) for one in operators}


def _listed(names: set[str]) -> tuple[str, ...]:
    return tuple(f"aten::{name}" for name in sorted(names))
