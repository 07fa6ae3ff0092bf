"""How small a change this machine can tell, found out on the machine itself.

A contest of A against A shows the machine's own noise; from that noise follows the smallest change that a contest of
so many rounds finds in 95 of 100 cases. Then a change of at least that size is planted, as known extra work, to see
whether it is found. Both are contests in fresh processes, as everything that is compared.
"""

import math
import random
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from torchstone import host, stats
from torchstone.backends import find_device
from torchstone.measuring.clock import Clock
from torchstone.measuring.comparing import Comparison, compare
from torchstone.processes import ForkServer
from torchstone.records import Fact, Finding

if TYPE_CHECKING:
    from torch import Tensor

UNITS = 100
"""A's work in units; so one unit more is a change of 1 %."""
UNIT_S = 40e-6
"""A unit's length aimed at: 100 of them make a kernel of a few milliseconds."""
SMALLEST_PLANT = 3
"""Units planted at least: the 3 % by which the project's own tools are judged."""
BUSY_LOAD = 0.2
"""Load per core before the test from which we say that others are at work."""
COARSE = 0.05
"""A machine that can't tell 5 % is not fit to compare on."""
_SIDES = (16, 32, 64, 96, 128, 192, 256, 384, 512)


@dataclass
class Work:
    """A known amount of work: `units` matrix products on a device. Its matrix is made in the process that runs it."""

    device: str
    side: int
    units: int
    _matrix: Any = field(default=None, repr=False)

    def __call__(self) -> "Tensor":
        import torch

        if self._matrix is None:
            self._matrix = torch.eye(self.side, device=self.device)
        result = self._matrix
        for _ in range(self.units):
            result = result @ self._matrix
        tensor: Tensor = result
        return tensor


@dataclass(frozen=True)
class Fitness:
    """The state of the machine around the test."""

    load_per_core: Fact
    throttled_before: Fact
    throttled_after: Fact
    power: host.PowerState


def choose_side(device: str) -> int:
    """The matrix size whose product takes about one unit of time on this device."""
    backend, found = find_device(device)
    clock = Clock(backend, found.id)
    best = _SIDES[0]
    for side in _SIDES:
        work = Work(found.id, side, 10)
        work()
        if median(clock.time_synchronized(work)[0] for _ in range(3)) / 10 > UNIT_S:
            break
        best = side
    return best


def compare_same(device: str, side: int, budget_s: float, server: ForkServer | None = None) -> Comparison:
    """A against A, for all of the seconds: the more rounds, the better its noise is known."""
    a, b = Work(device, side, UNITS), Work(device, side, UNITS)
    names = ("selftest/A", "selftest/A again")
    return compare(a, b, device=device, names=names, budget_s=budget_s, until_decided=False, server=server)


def compare_planted(
    device: str, side: int, budget_s: float, extra_units: int, server: ForkServer | None = None
) -> Comparison:
    """A against A with known extra work."""
    a, b = Work(device, side, UNITS), Work(device, side, UNITS + extra_units)
    names = ("selftest/A", f"selftest/A with {extra_units} % more work")
    return compare(a, b, device=device, names=names, budget_s=budget_s, server=server)


def smallest_change(same: Comparison, seed: int = 0) -> float | None:
    """The smallest change that so many rounds find in 95 of 100 cases; None with too few rounds to say."""
    draw = random.Random(seed).randrange
    ratios = [math.log(b / a) for a, b in zip(same.a.samples, same.b.samples, strict=True)]
    return stats.smallest_detectable_change(ratios, draw)


def units_to_plant(smallest: float | None) -> int:
    """A change that should be found: the smallest detectable one, and never less than 3 %."""
    return SMALLEST_PLANT if smallest is None else max(SMALLEST_PLANT, math.ceil(smallest * UNITS))


def judge(
    same: Comparison | None, planted: Comparison | None, extra_units: int, fitness: Fitness
) -> tuple[Finding, ...]:
    """The findings: what can be told, whether the plant was found, and what disturbs the machine now; of one that was
    interrupted, those that its measurements allow."""
    told = () if same is None else (_resolution(same), _false_alarm(same))
    found = () if planted is None else (_plant(planted, extra_units),)
    return (*told, *found, *_disturbances(fitness))


def is_fit(findings: tuple[Finding, ...]) -> bool:
    """Whether nothing speaks against measuring on this machine now."""
    return all(finding.level == "ok" for finding in findings)


def _finding(subject: str, fine: bool, evidence: str, hint: str | None = None) -> Finding:
    return Finding(
        kind="selftest",
        subject=subject,
        verdict="ok" if fine else "warning",
        level="ok" if fine else "warning",
        tier="measured",
        evidence=evidence,
        hint=None if fine else hint,
    )


def _resolution(same: Comparison) -> Finding:
    hint = "close other programs, plug the machine in, give a larger --budget"
    smallest = smallest_change(same) if same.ratio is not None else None
    if smallest is None:
        reason = same.a.reason or "too few rounds within the budget"
        return _finding("smallest change", False, f"cannot be said: {reason}", hint)
    text = f"changes from {smallest:.1%} on are found in 95 of 100 contests of {len(same.a.samples)} rounds"
    return _finding("smallest change", smallest <= COARSE, text, hint)


def _false_alarm(same: Comparison) -> Finding:
    quiet = same.ratio is not None and same.ratio.interval is not None and same.verdict in ("same", "unclear")
    hint = "the machine's speed changes from process to process: do not trust small differences now; try again later"
    if same.a.reason is None and (same.ratio is None or same.ratio.interval is None):
        hint = "too few rounds to tell: give a larger --budget, or close other programs"
    return _finding("A against A", quiet, str(same), hint)


def _plant(planted: Comparison, extra_units: int) -> Finding:
    found = planted.verdict == "slower"
    text = f"{extra_units} % more work was {'found' if found else 'not found'}: {planted}"
    return _finding("planted change", found, text, "give a larger --budget, or close other programs")


def _disturbances(fitness: Fitness) -> list[Finding]:
    found = []
    load = fitness.load_per_core.value
    if isinstance(load, float) and load > BUSY_LOAD:
        text = f"{load:.1f} tasks a core wanted to run before the test ({fitness.load_per_core.source})"
        found.append(_finding("load", False, text, "close other programs, or wait until they are done"))
    before, after = fitness.throttled_before.value, fitness.throttled_after.value
    if before != after or after is True:
        text = f"the processor was slowed for heat during the test ({fitness.throttled_after.source})"
        found.append(_finding("throttling", False, text, "let the machine cool, and give it air"))
    if fitness.power.low_power or fitness.power.on_battery:
        text = f"low-power mode or battery ({fitness.power.source})"
        found.append(_finding("power", False, text, "plug the machine in and switch low-power mode off"))
    return found
