"""What no other section speaks of: experiments that brought none of their own."""

from torchstone.report.cases import Row, is_believable, reference_of
from torchstone.report.charts.ratios import speedup_chart
from torchstone.report.figures import Figure, draw
from torchstone.report.sections import Shown, View, claimed
from torchstone.report.sentences import rate_sentence, speed_sentence

TITLE = "Other measurements"
ORDER = 500
KINDS = ("doctor", "device", "dtype", "promise", "grade")
"""The answers speak of these, and a learner's page of the last."""


def show(view: View) -> Shown | None:
    spoken_of = claimed("EXPERIMENTS")
    sentences, figures = list[str](), list[Figure]()
    for one in view.experiments:
        good = [row for row in one.rows if is_believable(row) and row.measurement.unit == "s"]
        if one.name not in spoken_of and good:
            sentences += [f"{one.name}: {words}" for words in (speed_sentence(good) or rate_sentence(good),) if words]
            figures += _figures(one.name, [row for row in good if row.speedup])
    known = claimed("KINDS")
    kinds = {one.kind for machine in view.machines for one in machine.run.findings} - known
    return Shown(sentences, figures, view.findings(*kinds)) if sentences or kinds else None


def _figures(name: str, rows: list[Row]) -> list[Figure]:
    return draw(f"{name}-speedups", f"{name}: times as fast as {reference_of(rows)}", speedup_chart, rows)
