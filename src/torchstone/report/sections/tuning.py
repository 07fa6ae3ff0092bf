"""Tuned: the advice of `torchstone tune`, what to know before believing it, and every setup that was raced."""

from torchstone.report.cases import Row, is_believable, reference_of
from torchstone.report.charts.ratios import speedup_chart
from torchstone.report.figures import draw
from torchstone.report.sections import Shown, View

TITLE = "The fastest right way to run it"
ORDER = 5
EXPERIMENTS = ("tune",)
KINDS = ("tune",)
IN_POST = True


def show(view: View) -> Shown | None:
    found = view.findings(*KINDS)
    rows = _newest([row for row in view.rows(*EXPERIMENTS) if row.speedup and is_believable(row)])
    if not found and not rows:
        return None
    sentences = [f"{label + ': ' if label else ''}{one.subject}: {one.evidence}." for label, one in found]
    figures = draw("tune", f"Times as fast as {reference_of(rows)}, by setup", speedup_chart, rows) if rows else []
    return Shown(sentences, figures)


def _newest(rows: list[Row]) -> list[Row]:
    """Of a setup that was raced several times, the last contest: that of the best, with most rounds."""
    return list({(row.machine, row.measurement.setup): row for row in rows}.values())
