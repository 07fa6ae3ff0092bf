"""Turns whose seconds pass by being looked at: however busy the machine is, a case has as many rounds."""

from collections.abc import Iterable
from itertools import count
from typing import Any

from torchstone.backends import find_device
from torchstone.experiments import Plan
from torchstone.records import Finding, Measurement
from torchstone.scheduling.case import Case, Record, Turn

LOOK_S = 0.1
"""What a look at the clock takes."""


def make_turn(seconds: float = 6.0, **rest: Any) -> Turn:
    """About ten looks a second; a contest looks once a round."""
    looks = count()
    return Turn(seconds, now=lambda: LOOK_S * next(looks), **rest)


def make_plan(*devices: str, **rest: Any) -> Plan:
    """For the CPU and these devices beside it."""
    found = [find_device(name)[1] for name in ("cpu", *devices)]
    return Plan(devices=tuple(found), **rest)


def case_named(cases: Iterable[Case], name: str, device: str | None = None) -> Case:
    """The first of that name."""
    return next(
        one for one in cases if one.listing.name == name and (device is None or one.listing.setup.device == device)
    )


def measurements(records: Iterable[Record]) -> list[Measurement]:
    return [record for record in records if isinstance(record, Measurement)]


def findings(records: Iterable[Record]) -> list[Finding]:
    return [record for record in records if isinstance(record, Finding)]
