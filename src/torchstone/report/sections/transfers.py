"""Moving data: how fast it goes between the host's memory and a device's, and what a batch's move costs."""

from collections.abc import Sequence

from torchstone.report.cases import Row
from torchstone.report.charts import Spec, dots_chart
from torchstone.report.figures import draw
from torchstone.report.sections import Shown, View

TITLE = "Moving data"
ORDER = 80
EXPERIMENTS = ("transfer",)
KINDS = ("transfer",)


def show(view: View) -> Shown | None:
    moved = [row for row in view.rows("transfer") if row.rate and row.measurement.facts.get("item") == "bytes"]
    said = [f"{finding.subject}: {finding.evidence}." for _, finding in view.findings("transfer")]
    if not moved:
        return Shown(said) if said else None
    best, worst = max(moved, key=_rate), min(moved, key=_rate)
    fastest = f"Fastest: {best.rate_words} ({best.what}, {best.place})"
    slowest = f"; slowest: {worst.rate_words} ({worst.what}, {worst.place})" if worst is not best else ""
    figures = draw("transfers", "Bandwidth of copies", _bandwidth, moved, fastest) if len(moved) > 1 else []
    return Shown([f"{fastest}{slowest}.", *said], figures)


def _rate(row: Row) -> float:
    return row.rate or 0.0


def _bandwidth(rows: Sequence[Row], description: str) -> Spec | None:
    return dots_chart(rows, description, rate=True)
