"""One cell of the static atlas: what a torch's own files say of an operator on a device that is not here."""

from typing import Literal, TypeAlias

import msgspec

Verdict: TypeAlias = Literal["ok", "unsupported", "falls_back", "dtype", "unknown"]
Tier: TypeAlias = Literal["ci-tables", "metal-kernels", "registrations", "message", "yaml"]
"""How a cell is known, strongest first; a measurement on the device and its dispatcher's census are stronger yet."""
Direction: TypeAlias = Literal["forward", "backward"]
TIERS: tuple[Tier, ...] = ("ci-tables", "metal-kernels", "registrations", "message", "yaml")
FAILURES: tuple[Verdict, ...] = ("unsupported", "dtype")
"""The verdicts that say that a call will raise."""


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """A verdict with its tier and its reason, which quotes what was read."""

    op: str
    """`aten::add`"""
    variant: str
    """The overload, `Tensor`; empty for the default one."""
    dtype: str
    direction: Direction
    verdict: Verdict
    tier: Tier
    reason: str
    likely: Verdict | None = None
    """What an `unknown` cell most likely is; None where nothing leans either way."""
    limits: tuple[str, ...] = ()
    """The op's own messages on sizes and arguments that it refuses."""
