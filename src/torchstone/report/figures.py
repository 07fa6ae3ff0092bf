"""Which figures a report shows: for each experiment its charts, with a name, a caption and words for who can't see."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torchstone.report import charts
from torchstone.report.cases import ACCURACY, Experiment, Row, is_believable, reference_of
from torchstone.report.charts import Spec
from torchstone.report.sentences import speed_sentence

MOST_LEAK_CHARTS = 8
Drawer = Callable[[Sequence[Row], str], Spec | None]
RATE_CAPTION = "Latency as the rate of queries rises: the median, and the tail (p99 where the samples suffice)"
MODES = {"train": "Training", "evaluate": "Evaluation"}


@dataclass(frozen=True)
class Figure:
    """One chart."""

    slug: str
    caption: str
    description: str
    spec: Spec


def headline_figures(experiments: Sequence[Experiment]) -> list[Figure]:
    """Training and evaluation, times faster than the CPU: the graph that people come for."""
    rows = [row for one in experiments if one.name == "training" for row in one.rows if row.speedup]
    found = [_headline(mode, [row for row in rows if mode in row.what.split("/")]) for mode in MODES]
    return [figure for figure in found if figure is not None]


def _headline(mode: str, rows: Sequence[Row]) -> Figure | None:
    caption = f"{MODES[mode]}: times as fast as {reference_of(rows)}"
    description = _description(caption, rows)
    spec = charts.speedup_chart(rows, description)
    if spec is None:
        return None
    return Figure(f"headline-{mode}", caption, description, spec)


def figures_of(experiment: Experiment) -> list[Figure]:
    """The charts of one experiment, each only where there is something to draw."""
    makers = {"leak": _leak_figures, "load": _load_figures, "transfer": _transfer_figures}
    found = makers.get(experiment.name, _speed_figures)(experiment)
    return [figure for figure in found if figure is not None]


def _speed_figures(experiment: Experiment) -> list[Figure | None]:
    rows = [row for row in experiment.rows if row.measurement.unit == "s" and is_believable(row)]
    timed = [row for row in rows if row.measurement.quantity not in ("latency", "time to accuracy")]
    latencies = [row for row in rows if row.measurement.quantity == "latency"]
    # The training bars already stand at the top of the page.
    compared = [] if experiment.name == "training" else timed
    against = f"Times as fast as {reference_of(compared)}"
    accuracies = [row for row in experiment.rows if row.measurement.quantity == ACCURACY]
    return [
        _figure(experiment.name, "accuracy", "Accuracy after each epoch", charts.accuracy_chart, accuracies),
        _figure(experiment.name, "speedups", against, charts.speedup_chart, compared),
        _figure(experiment.name, "times", "Median times with their 95 % intervals", charts.dots_chart, timed),
        _figure(experiment.name, "latency", "Share of calls answered within a time", charts.latency_chart, latencies),
    ]


def _transfer_figures(experiment: Experiment) -> list[Figure | None]:
    moved = [row for row in experiment.rows if row.measurement.facts.get("item") == "bytes"]
    description = _description("Bandwidth", moved)
    spec = charts.dots_chart(moved, description, rate=True)
    return [] if spec is None else [Figure("transfer-bandwidth", "Bandwidth of copies", description, spec)]


def _load_figures(experiment: Experiment) -> list[Figure | None]:
    rows = [row for row in experiment.rows if is_believable(row)]
    server = [row for row in rows if "scheduled_rate" in row.measurement.facts]
    others = [row for row in rows if row not in server]
    return [
        _figure("load", "rate", RATE_CAPTION, charts.rate_chart, server),
        _figure("load", "latency", "Share of queries answered within a time", charts.latency_chart, others),
        _figure("load", "under-load", "Share of queries answered within a time, by load", charts.latency_chart, server),
    ]


def _leak_figures(experiment: Experiment) -> list[Figure | None]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in experiment.rows:
        if row.measurement.unit == "bytes" and len(row.measurement.samples) > 1:
            groups[f"{row.what} on {row.place}"].append(row)
    return [
        _figure("leak", str(number), f"Memory: {title}", charts.leak_chart, rows)
        for number, (title, rows) in enumerate(list(groups.items())[:MOST_LEAK_CHARTS], 1)
    ]


def _figure(experiment: str, kind: str, caption: str, draw: Drawer, rows: Sequence[Row]) -> Figure | None:
    description = _description(caption, rows)
    spec = draw(rows, description)
    return None if spec is None else Figure(f"{experiment}-{kind}", caption, description, spec)


def _description(caption: str, rows: Sequence[Row]) -> str:
    """For a screen reader: what the chart shows, and its ends."""
    return f"{caption}. {speed_sentence(rows)}".strip()
