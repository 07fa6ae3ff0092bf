"""JPEG to tensor: the right ways alone, by images a second."""

from collections.abc import Sequence

from torchstone.report.cases import Row, is_believable
from torchstone.report.charts.dots import dots_chart
from torchstone.report.charts.parts import Spec
from torchstone.report.fastest import fastest_sentences
from torchstone.report.figures import draw
from torchstone.report.sections import Shown, View
from torchstone.report.sentences import rate_sentence
from torchstone.report.speedups import OTHER_QUALITY

TITLE = "From a JPEG to a tensor"
ORDER = 40
EXPERIMENTS = ("images",)
KINDS = ("images",)
WHOLE = ("jpeg to tensor", "pixels to tensor", "pipeline")
MOST_SENTENCES = 3


def show(view: View) -> Shown | None:
    right = [row for row in view.rows("images") if is_believable(row) and not row.what.endswith(OTHER_QUALITY)]
    whole = [row for row in right if row.what.split("/")[0] in WHOLE] or right
    sentences = [sentence for machine in view.machines for sentence in _of_machine(view, machine.label)]
    if not right and not sentences:
        return None
    figures = draw("images", "Images a second, by the way they take", _rates, whole, " ".join(sentences[:1]))
    return Shown(sentences or [rate_sentence(whole)], figures)


def _rates(rows: Sequence[Row], description: str) -> Spec | None:
    return dots_chart(rows, description, rate=True)


def _of_machine(view: View, label: str) -> list[str]:
    """A page of one run leaves its machine unnamed in rows and findings."""
    several = len(view.machines) > 1
    findings = [finding for machine, finding in view.findings("images") if machine == (label if several else "")]
    measured = [row.measurement for row in view.rows("images") if row.machine == (label if several else "")]
    return [f"{label}: {one}" if several else one for one in fastest_sentences(findings, measured, MOST_SENTENCES)]
