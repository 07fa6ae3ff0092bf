"""The run beside published figures, where model and batch are the same; asked for with `--beside published`."""

from torchstone.report.formatting import format_number, format_times
from torchstone.report.published import PUBLISHED, Published
from torchstone.report.sections import Shown, View
from torchstone.report.standings import Bar

TITLE = "Beside published figures"
ORDER = 35
NOTHING = "No published figure that is kept here has the same model and batch as this run"


def show(view: View) -> Shown | None:
    if not view.is_beside_published:
        return None
    sentences = []
    for machine, answers in zip(view.machines, view.answers, strict=True):
        where = f"{machine.label}: " if len(view.machines) > 1 else ""
        sentences += [f"{where}{_words(bar, one)}" for bar in answers.bars for one in PUBLISHED if _is_same(bar, one)]
    others = sorted({f"{one.model} {one.stage} at batch {one.batch}" for one in PUBLISHED})
    return Shown(sentences or [f"{NOTHING}; there are: {', '.join(others)}."])


def _is_same(bar: Bar, one: Published) -> bool:
    return (bar.model, bar.stage, bar.batch) == (one.model, one.stage, one.batch)


def _words(bar: Bar, one: Published) -> str:
    """What was measured here and there, and what differs."""
    how = f"{bar.device}{', ' + bar.how if bar.how else ''}"
    if one.rate is not None:
        here = f"{bar.rates.words} a second on {how}" if bar.rates.words else "no rate"
        there = f"{format_number(one.rate)} a second on {one.machine}"
    else:
        here, there = f"{format_times(bar.times)} the CPU on {how}", f"{one.times} the CPU on {one.machine}"
    work = f"{bar.model} {bar.stage}, batch {bar.batch}"
    return f"{work}: here {here}; published: {there} ({one.conditions}; {one.source})."
