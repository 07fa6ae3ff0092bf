"""The page: one self-contained HTML file from run files alone. It fetches nothing and runs only its own two scripts.

The answer stands first: headline, what to use, four figures, one chart, what is broken. Then the sections, and folded
below them everything else. The content security policy names the hashes of the scripts, so that even a mistake in our
escaping would let nothing of a run file run.
"""

import base64
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from torchstone.report import cards, tables
from torchstone.report.answers import answer
from torchstone.report.bests import Best, best_of
from torchstone.report.cases import experiments_of, is_good
from torchstone.report.charts.ratios import bars_chart, rates_chart
from torchstone.report.cleaning import pack_json
from torchstone.report.comparing import compare_runs, verdict_words
from torchstone.report.figures import Figure
from torchstone.report.first_chart import machine_stages
from torchstone.report.formatting import format_times
from torchstone.report.headlines import VERBS
from torchstone.report.machines_at_best import alike
from torchstone.report.page_charts import data_of_figure, draw_for_page
from torchstone.report.pictures import pictures_of_run
from torchstone.report.predictions import prediction_files
from torchstone.report.sections import Section, View, claimed, sections_of
from torchstone.report.sources import Machine
from torchstone.report.speedups import plain_words
from torchstone.report.standings import Bar, contests_of
from torchstone.report.tables import SampleBook, Table
from torchstone.report.tiles import tiles_of

if TYPE_CHECKING:
    from jinja2 import Environment as Templates

    from torchstone.report.learning import Learning

MOST_CHARTS = 8
MOST_FINDINGS = 120
DECADE = 10.0


@dataclass(frozen=True)
class Fold:
    """The records of one experiment, folded."""

    slug: str
    title: str
    table: Table | None
    left_out: int


def make_view(machines: Sequence[Machine], beside_published: bool = False) -> View:
    return View(machines, experiments_of(machines), [answer(machine) for machine in machines], beside_published)


def render_page(
    machines: Sequence[Machine],
    learning: "Learning | None" = None,
    title: str | None = None,
    beside_published: bool = False,
) -> str:
    """The whole page as text."""
    book = SampleBook()
    view = make_view(machines, beside_published)
    first = first_figure(view)
    stages = _stages(view.answers[0].bars) if len(machines) == 1 else []
    beside = machine_stages([(machine.label, best) for machine, best in _bests(view)]) if first else None
    has_words = bool(stages or beside)
    sections, hidden = _bounded(sections_of(view), MOST_CHARTS - bool(first))
    figures = [*first, *(figure for section in sections for figure in section.shown.figures)]
    figures += learning.figures if learning else []
    return (
        _templates()
        .get_template("page.html.j2")
        .render(
            title=title or headline(view, learning),
            machine_line=" — ".join(one.machine for one in view.answers[:4]),
            files=", ".join(cards.machine_card(machine)["file"] for machine in machines[:4]),
            made=f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC",
            answers=_answer_rows(view),
            tiles=tiles_of(view.answers[0]) if len(machines) == 1 else [],
            stages=stages,
            beside=beside,
            first=first[0] if first else None,
            is_made_up=any(one.is_made_up for one in view.answers),
            broken=[(row, one) for row in _answer_rows(view) for one in row["answers"].broken],
            sections=[_section_row(one) for one in sections],
            hidden=hidden,
            folds=_folds(view, book),
            remarks=_remarks(view),
            cards=[cards.machine_card(machine) for machine in machines],
            pictures=[one for machine in machines for one in pictures_of_run(machine.url, prediction_files(machine))],
            learning=learning,
            figures=pack_json({one.slug: data_of_figure(one.spec, one in first and has_words) for one in figures}),
            samples=pack_json(book.entries),
            **_parts(),
        )
    )


def in_ascii(page: str) -> str:
    """The same page in characters of one byte, which a browser reads several times as fast.

    Scripts and style, where an entity would mean nothing, are in ASCII already.
    """
    return page.encode("ascii", "xmlcharrefreplace").decode("ascii")


def headline(view: View, learning: "Learning | None" = None) -> str:
    """Of one run its own; of two what comparing them says."""
    if not view.machines:
        return "My progress" if learning else "Nothing measured"
    if len(view.machines) == 1:
        return view.answers[0].headline
    if len(view.machines) == 2:
        return verdict_words(compare_runs(*view.machines))
    return f"{len(view.machines)} machines side by side"


def first_figure(view: View) -> list[Figure]:
    """The graph that people come for: times as fast as the CPU; of several machines, items a second."""
    if len(view.machines) == 1:
        bars = view.answers[0].bars
        caption = _first_caption(bars)
        spec = bars_chart(bars, f"{caption}. {headline(view)}")
        note = first_note(bars)
    else:
        named = [(machine.label, best) for machine, best in _bests(view)]
        caption = "Items a second, each machine at its best"
        spec, note = rates_chart(named, caption), "The same model and batch; the fastest right setup of each machine."
    description = f"{caption}. {headline(view)}"
    return [Figure("speed", caption, description, spec, note)] if spec is not None else []


def _bests(view: View) -> list[tuple[Machine, Best]]:
    """Of several machines the fastest right way of each, like beside like."""
    if len(view.machines) < 2:
        return []
    found = [(machine, best) for machine in view.machines for best in best_of(contests_of(machine.run)).values()]
    return alike(found)


def _first_caption(bars: Sequence[Bar]) -> str:
    if all(bar.device == "cpu" for bar in bars):
        return f"How many times as fast the CPU is at its best as in {plain_words(bar.plain_dtype for bar in bars)}"
    return "How many times as fast as the CPU"


def first_note(bars: Sequence[Bar]) -> str:
    """The conditions, and what nobody's waiting would have shown."""
    setups = dict.fromkeys(bar.against or f"plain {bar.plain_dtype}" for bar in bars)
    if any(bar.device != "cpu" for bar in bars):
        words = "At the batch named, the largest that was measured on both, each at its best setup that is right"
        words += f"; the CPU's was {', '.join(setups)}"
    else:
        words = "At the batch named, the largest that was measured, in the best setup that is right"
    shown = [bar for bar in bars if bar.unwaited_times and bar.unwaited_times > 1.5 * bar.times]
    worst = max(shown, key=lambda bar: (bar.unwaited_times or 0.0) / bar.times, default=None)
    if worst is None:
        return f"{words}."
    false = format_times(worst.unwaited_times or 0.0)
    return f"{words}. Timed without waiting, as in 2022, {worst.model} {worst.stage} would have shown {false}."


def _stages(bars: Sequence[Bar]) -> list[dict[str, Any]]:
    """The first chart without a script: it is there at once, and a screen reader reads it as a list."""
    times = [bar.times for bar in bars]
    is_wide = bool(times) and max(*times, 1.0) > DECADE * min(times)
    return [
        {"title": stage.capitalize(), "is_wide": is_wide, "bars": [_bar_row(bar, times, is_wide) for bar in own]}
        for stage in VERBS
        if (own := [bar for bar in bars if bar.stage == stage])
    ]


def _bar_row(bar: Bar, times: Sequence[float], is_wide: bool) -> dict[str, Any]:
    rates = [bar.rates.short_words, bar.cpu_rates.short_words]
    return {
        "model": bar.model,
        "batch": f"batch {bar.batch}" if bar.batch is not None else "",
        "times": format_times(bar.times),
        "rate": rates[0],
        "beside": f", CPU {rates[1]}" if bar.device != "cpu" and rates[1] else "",
        "how": bar.how,
        "place": _place(bar.times, times, is_wide),
        "one": _place(1.0, times, is_wide),
        "style": bar.verdict if bar.is_decided or bar.verdict == "same" else "few" if bar.low is None else "unclear",
        "doubt": "" if bar.verdict != "unclear" else "too few samples" if bar.low is None else "too close to call",
    }


def _place(value: float, times: Sequence[float], is_wide: bool) -> float:
    """Per cent of the width: linear from nothing, or between the ends of a log axis."""
    most = max(*times, 1.0)
    if not is_wide:
        return round(100 * value / most, 2)
    low, high = math.log(min(*times, 1.0)) - 0.3, math.log(most) + 0.1
    return round(100 * (math.log(value) - low) / (high - low), 2)


def _answer_rows(view: View) -> list[dict[str, Any]]:
    several = len(view.machines) > 1
    return [
        {"label": machine.label if several else "", "answers": one}
        for machine, one in zip(view.machines, view.answers, strict=True)
    ]


def _bounded(sections: Sequence[Section], most: int) -> tuple[list[Section], int]:
    """At most so many charts on a page; the others are counted, and `--format svg` draws them all."""
    kept, left = [], most
    for section in sections:
        figures = section.shown.figures[: max(0, left)]
        left -= len(section.shown.figures)
        shown = section.shown if len(figures) == len(section.shown.figures) else replace(section.shown, figures=figures)
        kept.append(Section(section.slug, section.title, shown))
    return kept, max(0, -left)


def _section_row(section: Section) -> dict[str, Any]:
    found = section.shown
    rows = [cards.finding_row(finding, label) for label, finding in found.findings[: 2 * MOST_FINDINGS]]
    return {
        "slug": section.slug,
        "title": section.title,
        "sentences": found.sentences,
        "figures": found.figures,
        "findings": rows,
        "predictions": found.predictions,
        "left_out": max(0, len(found.findings) - 2 * MOST_FINDINGS),
    }


def _folds(view: View, book: SampleBook) -> list[Fold]:
    make = tables.wide_table if len(view.machines) > 1 else tables.long_table
    return [
        Fold(
            f"records-{cards.slug(one.name)}", f"Every record: {one.name}", make(one.name, one.rows, book), one.left_out
        )
        for one in view.experiments
    ]


def _remarks(view: View) -> list[dict[str, Any]]:
    """What the files, the machines and the doctor say, and what was done with models; the sections say the rest."""
    machines = view.machines
    found = [cards.remark(machine, text) for machine in machines for text in machine.remarks]
    found += [cards.model_remark(text) for answers in view.answers for text in answers.remarks]
    found += cards.difference_rows(machines)
    spoken_of = claimed("KINDS") - {"doctor", "device", "dtype", "promise"}
    for machine in machines:
        label = machine.label if len(machines) > 1 else ""
        found += [cards.finding_row(one, label) for one in machine.run.findings if one.kind not in spoken_of]
    return sorted(found, key=lambda row: bool(row["good"]))[:MOST_FINDINGS]


def count_warnings(machine: Machine) -> int:
    return sum(not is_good(finding) for finding in machine.run.findings) + len(machine.remarks)


def _parts() -> dict[str, Any]:
    """Style and scripts, with the policy that lets these scripts run and no other."""
    start, own = read_template("start.js"), read_template("page.js")
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in (start, own))
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return {"style": read_template("page.css"), "start": start, "script": own, "policy": policy}


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


def read_template(name: str) -> str:
    return resources.files("torchstone.report").joinpath("templates", name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _templates() -> "Templates":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("torchstone.report")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters["drawn"] = draw_for_page
    return made


def render_index(entries: Sequence[dict[str, Any]], problems: Sequence[str], title: str) -> str:
    """The index page of a folder: one line a run, each with a link to its own page."""
    own = read_template("page.js")
    policy = f"default-src 'none'; script-src 'sha256-{_digest(own)}'; style-src 'unsafe-inline'; base-uri 'none'"
    template = _templates().get_template("index.html.j2")
    parts = {"style": read_template("page.css"), "script": own, "policy": policy}
    return template.render(title=title, entries=entries, problems=problems, **parts)
