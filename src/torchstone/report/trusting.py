"""Is this run to be trusted? What the run itself says: a busy machine, saved power, too few samples, a torn file."""

from collections.abc import Sequence
from dataclasses import dataclass

from torchstone.records import Fact, Run
from torchstone.report.speedups import Speedup

BUSY_LOAD = 0.5
"""Of a core, at the start: above it something else was running, and took what we measured."""
MADE_UP = "made up"
"""A fact of runs that were composed for a test or a drawing, and never measured."""
MOSTLY = 0.5


@dataclass(frozen=True)
class Trust:
    """Whether the numbers may be believed, and why not."""

    is_trusted: bool
    sentence: str
    doubts: tuple[str, ...] = ()


def judge_trust(run: Run, found: Sequence[Speedup], remarks: Sequence[str] = ()) -> Trust:
    doubts = [*_made_up(run), *remarks, *_of_the_machine(run), *_of_the_rows(found)]
    decided = sum(one.verdict != "unclear" for one in found)
    counted = f"{decided} of {len(found)} differences decided" if found else "nothing was compared"
    if not doubts:
        return Trust(True, f"Yes: {counted}, and nothing seen that disturbed it.")
    return Trust(False, f"With care: {'; '.join(doubts[:3])} ({counted}).", tuple(doubts))


def is_made_up(run: Run) -> bool:
    fact = run.environment.facts.get(MADE_UP)
    return fact is not None and bool(fact.value)


def _made_up(run: Run) -> list[str]:
    return ["these figures are made up: no machine measured them"] if is_made_up(run) else []


def busy_words(run: Run) -> str:
    """That the machine was busy, where its load says so."""
    load = _number(run, "load per core at start")
    return f"this machine was busy ({load:.1f} tasks a core when it began)" if load and load > BUSY_LOAD else ""


def _of_the_machine(run: Run) -> list[str]:
    words = [busy_words(run)]
    words += [sentence for name, sentence in _POWER.items() if _is_true(run.environment.facts.get(name))]
    words += [f"{one.subject}: {one.evidence}" for one in run.findings if one.kind == "doctor" and one.level in _BAD]
    return [part for part in words if part]


_POWER = {"on battery": "it ran on battery", "low-power mode": "the low-power mode was on"}
_BAD = ("warning", "problem")


def _of_the_rows(found: Sequence[Speedup]) -> list[str]:
    few = sum(one.has_too_few_samples for one in found)
    if not found or few <= MOSTLY * len(found):
        return []
    return [f"{few} of {len(found)} rows have too few samples: a larger --budget helps"]


def _is_true(fact: Fact | None) -> bool:
    return fact is not None and fact.value is True


def _number(run: Run, name: str) -> float | None:
    fact = run.environment.facts.get(name)
    value = fact.value if fact is not None else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
