"""Serving: how long answers take as the rate of queries rises, with the bound that they must keep."""

from torchstone.report.cases import Row, is_believable, place_words
from torchstone.report.charts.curves import rate_chart, tail_of
from torchstone.report.figures import draw
from torchstone.report.formatting import format_value
from torchstone.report.sections import Shown, View
from torchstone.report.sentences import subject_words

TITLE = "Serving"
ORDER = 50
EXPERIMENTS = ("load",)
KINDS = ("load",)
MOST_SENTENCES = 3


def show(view: View) -> Shown | None:
    rows = [row for row in view.rows("load") if is_believable(row)]
    server = [row for row in rows if "scheduled_rate" in row.measurement.facts]
    said = [f"{subject_words(finding)}: {finding.evidence}." for _, finding in view.findings("load")[:MOST_SENTENCES]]
    single = [_single_words(row) for row in rows if row.what.endswith("SingleStream")][:MOST_SENTENCES]
    rates = {row.measurement.facts["scheduled_rate"] for row in server}
    caption = "Latency as the rate of queries rises: median and tail"
    # One rate is a number, not a curve.
    figures = draw("serving", caption, rate_chart, server, " ".join(said[:1])) if len(rates) > 1 else []
    return Shown([*said, *single], figures) if rows or said else None


def _single_words(row: Row) -> str:
    tail = tail_of(row.measurement)
    words = f", {tail[0]} {format_value(tail[1], 's')}" if tail else ""
    return f"One query at a time on {place_words(row)} takes {row.value_words}{words}."
