"""Moving data: how fast it goes between the host's memory and a device's, and what a batch's move costs."""

from collections.abc import Sequence

from torchstone.report.cases import Row
from torchstone.report.charts.dots import dots_chart
from torchstone.report.charts.parts import Spec
from torchstone.report.figures import draw
from torchstone.report.names import work_of
from torchstone.report.sections import Shown, View
from torchstone.report.sentences import subject_words

TITLE = "Moving data"
ORDER = 80
EXPERIMENTS = ("transfer",)
KINDS = ("transfer",)


def show(view: View) -> Shown | None:
    moved = [row for row in view.rows("transfer") if row.rate and row.measurement.facts.get("item") == "bytes"]
    said = [f"{subject_words(finding)}: {finding.evidence}." for _, finding in view.findings("transfer")]
    if not moved:
        return Shown(said) if said else None
    best, worst = max(moved, key=_rate), min(moved, key=_rate)
    fastest = f"Fastest: {best.rate_words} ({_what(best)})"
    slowest = f"; slowest: {worst.rate_words} ({_what(worst)})" if worst is not best else ""
    figures = draw("transfers", "Bandwidth of copies", _bandwidth, moved, fastest) if len(moved) > 1 else []
    return Shown([f"{fastest}{slowest}.", *said], figures)


def _what(row: Row) -> str:
    return f"{work_of(row.measurement.name).words}, {row.place}"


def _rate(row: Row) -> float:
    return row.rate or 0.0


def _bandwidth(rows: Sequence[Row], description: str) -> Spec | None:
    return dots_chart(rows, description, rate=True)
