"""Which setup: every dtype, engine and order of memory against the plain CPU, a dot each."""

from torchstone.report.cases import reference_of
from torchstone.report.charts.ratios import speedup_chart
from torchstone.report.figures import draw
from torchstone.report.names import work_of
from torchstone.report.sections import Shown, View
from torchstone.report.sentences import speed_sentence
from torchstone.report.standings import is_simple

TITLE = "Which setup"
ORDER = 30
EXPERIMENTS = ("training", "inference")


def show(view: View) -> Shown | None:
    compared = [row for row in view.rows(*EXPERIMENTS) if row.speedup and _is_a_step(row.measurement.name)]
    if not compared:
        return None
    advice = [words for answers in view.answers for words in (answers.use.dtype, answers.use.setup) if words]
    caption = f"Times as fast as {reference_of(compared)}, by setup"
    figures = draw("setups", caption, speedup_chart, compared, speed_sentence(compared))
    return Shown([*advice, speed_sentence(compared)], figures)


def _is_a_step(name: str) -> bool:
    work = work_of(name)
    return is_simple(work) or work.special == ("engines",)
