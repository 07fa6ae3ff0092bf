"""Sentences that several parts of a page say, computed from the numbers and never more than they say."""

from collections.abc import Sequence

from torchstone.records import Finding
from torchstone.report.cases import Row, is_believable, place_words, reference_of
from torchstone.report.formatting import count_words, speed_words
from torchstone.report.names import work_of


def speed_sentence(rows: Sequence[Row]) -> str:
    """The best and the worst of what was decided; what was not is counted."""
    compared = [row for row in rows if row.speedup]
    decided = [row for row in compared if row.speedup and row.speedup.verdict in ("faster", "slower")]
    if not compared:
        return ""
    reference = reference_of(compared)
    open_ones = len(compared) - len(decided)
    undecided = f" {count_words(open_ones, 'setup')} could not be told from it." if open_ones else ""
    if not decided:
        return f"Nothing here differs from {reference} beyond doubt."
    best, worst = max(decided, key=_ratio), min(decided, key=_ratio)
    words = f"Against {reference}: {_case_words(best)}"
    return f"{words}{'; ' + _case_words(worst) if worst is not best else ''}.{undecided}"


def _case_words(row: Row) -> str:
    assert row.speedup is not None  # chosen so
    return f"{work_of(row.measurement.name).words} on {place_words(row)} is {speed_words(row.speedup.ratio)}"


def subject_words(finding: Finding) -> str:
    """`load/convnet/Server: highest rate, cpu` as a person says it; what is no name stays."""
    name, separator, rest = finding.subject.partition(": ")
    return f"{work_of(name).words if '/' in name else name}{separator}{rest}"


def _ratio(row: Row) -> float:
    return row.speedup.ratio if row.speedup else 0.0


def rate_sentence(rows: Sequence[Row]) -> str:
    """The highest rate, where nothing can be set beside it."""
    good = [row for row in rows if is_believable(row) and row.rate_words]
    best = max(good, key=lambda row: row.rate or 0.0, default=None)
    return (
        f"Highest rate: {best.rate_words} ({work_of(best.measurement.name).words}, {place_words(best)})."
        if best
        else ""
    )
