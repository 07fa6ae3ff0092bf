"""Memory: whether it grows from call to call (a chart only where it does), and the peaks of the models."""

from collections import defaultdict

from torchstone.report.cases import Row, is_believable, place_words
from torchstone.report.charts.curves import leak_chart
from torchstone.report.figures import Figure, draw
from torchstone.report.names import work_of
from torchstone.report.sections import Shown, View
from torchstone.report.sentences import subject_words

TITLE = "Memory"
ORDER = 70
EXPERIMENTS = ("leak",)
KINDS = ("leak",)
MOST_CHARTS = 2
MOST_PEAKS = 4


def show(view: View) -> Shown | None:
    judged = [finding for _, finding in view.findings("leak")]
    leaking = [finding for finding in judged if finding.level == "problem"]
    clear = sum(finding.level == "ok" for finding in judged)
    sentences = [f"{subject_words(one)}: {one.evidence}." for one in leaking[:MOST_PEAKS]]
    if judged and not leaking:
        open_ones = f"; {len(judged) - clear} undecided" if clear < len(judged) else ""
        sentences.append(f"No leak: {clear} series judged without growth{open_ones}.")
    peaks = [row for row in view.rows("inference", "training") if _is_peak(row)]
    largest = sorted(peaks, key=lambda row: -(row.middle or 0.0))[:MOST_PEAKS]
    sentences += [f"{_peak_words(row)}." for row in largest]
    return Shown(sentences, _charts(view, {one.subject.partition(": ")[0] for one in leaking})) if sentences else None


def _is_peak(row: Row) -> bool:
    return row.measurement.quantity == "peak memory" and is_believable(row)


def _peak_words(row: Row) -> str:
    work = work_of(row.measurement.name.removesuffix("/memory"))
    return f"{work.words} needs {row.value_words} on {place_words(row)}"


def _charts(view: View, leaking: set[str]) -> list[Figure]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in view.rows("leak"):
        if row.measurement.unit == "bytes" and len(row.measurement.samples) > 1 and row.measurement.name in leaking:
            groups[f"{work_of(row.measurement.name).words} on {row.place}"].append(row)
    return [
        figure
        for number, (title, rows) in enumerate(list(groups.items())[:MOST_CHARTS], 1)
        for figure in draw(f"memory-{number}", f"Memory grows: {title}", leak_chart, rows)
    ]
