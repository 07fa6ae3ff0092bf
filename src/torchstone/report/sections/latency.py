"""Single calls: how long one answer takes, back to back, with pauses, and for a long time."""

from torchstone.report.cases import is_believable, place_words
from torchstone.report.charts.curves import latency_chart, tail_of
from torchstone.report.figures import draw
from torchstone.report.formatting import format_value
from torchstone.report.names import work_of
from torchstone.report.sections import Shown, View

TITLE = "One call at a time"
ORDER = 55
MOST_SENTENCES = 6


def show(view: View) -> Shown | None:
    rows = [row for row in view.rows("inference") if row.measurement.quantity == "latency" and is_believable(row)]
    if not rows:
        return None
    sentences = []
    for row in rows[:MOST_SENTENCES]:
        tail = tail_of(row.measurement)
        words = f", {tail[0]} {format_value(tail[1], 's')}" if tail else ""
        what = work_of(row.measurement.name)
        pace = next((part.partition("=")[2] for part in what.special if part.startswith("latency=")), "")
        sentences.append(f"{what.model_words}, {pace or 'hot'}, on {place_words(row)}: {row.value_words}{words}.")
    return Shown(sentences, draw("latency", "Share of calls answered within a time", latency_chart, rows))
