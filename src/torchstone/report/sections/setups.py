"""Which setup: every dtype, engine and order of memory against the plain CPU, a dot each."""

from collections.abc import Sequence

from torchstone.report.cases import Row, reference_of
from torchstone.report.charts.ratios import speedup_chart
from torchstone.report.figures import draw
from torchstone.report.names import work_of
from torchstone.report.sections import Shown, View
from torchstone.report.sentences import speed_sentence
from torchstone.report.standings import contests_of, is_simple

TITLE = "Which setup"
ORDER = 30
EXPERIMENTS = ("training", "inference")


def show(view: View) -> Shown | None:
    compared = [row for row in view.rows(*EXPERIMENTS) if row.speedup and _is_a_step(row.measurement.name)]
    if not compared:
        return None
    advice = [words for answers in view.answers for words in (answers.use.dtype, answers.use.setup) if words]
    said = speed_sentence(_told(view, compared))
    caption = f"Times as fast as {reference_of(compared)}, by setup"
    figures = draw("setups", caption, speedup_chart, compared, said)
    return Shown([*advice, *filter(None, [said])], figures)


def _told(view: View, rows: Sequence[Row]) -> list[Row]:
    """Those that words may speak of: beside other programs no number of threads is called faster, and no speed of what
    broke elsewhere. The chart and the tables show them all."""
    several = len(view.machines) > 1
    kept = {
        (machine.label if several else "", one.name, one.setup)
        for machine in view.machines
        for contest in contests_of(machine.run)
        for one in contest.rivals
    }
    return [row for row in rows if (row.machine, row.measurement.name, row.measurement.setup) in kept]


def _is_a_step(name: str) -> bool:
    work = work_of(name)
    return is_simple(work) or work.special == ("engines",)
