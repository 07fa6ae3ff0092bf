"""Single calls: how long one answer takes, back to back, with pauses, and for a long time."""

from torchstone.report.cases import is_believable, place_words
from torchstone.report.charts.curves import latency_chart, pace_words, with_tail
from torchstone.report.figures import draw
from torchstone.report.sections import Shown, View

TITLE = "One call at a time"
ORDER = 55
MOST_SENTENCES = 6


def show(view: View) -> Shown | None:
    rows = [row for row in view.rows("inference") if row.measurement.quantity == "latency" and is_believable(row)]
    if not rows:
        return None
    sentences = [f"{pace_words(row)}, on {place_words(row)}: {with_tail(row)}." for row in rows[:MOST_SENTENCES]]
    return Shown(sentences, draw("latency", "Share of calls answered within a time", latency_chart, rows))
