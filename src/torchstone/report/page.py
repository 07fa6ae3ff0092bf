"""The page: one self-contained HTML file from run files alone. It fetches nothing and runs only its own two scripts.

The content security policy names the hashes of those scripts, so that even a mistake in our escaping would let nothing
of a run file run. (`unsafe-eval` is Vega's: it compiles the expressions of our own specifications.)
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from torchstone.records import Finding
from torchstone.report import cards, tables
from torchstone.report.cases import (
    MODEL_KINDS,
    OPERATOR_KINDS,
    PREDICTION_KIND,
    Experiment,
    Row,
    experiments_of,
    is_good,
    is_step,
    reference_of,
)
from torchstone.report.cleaning import embed_json
from torchstone.report.drawing import vega_javascript
from torchstone.report.figures import Figure, figures_of, headline_figures
from torchstone.report.formatting import moment_words
from torchstone.report.pictures import pictures_of_run
from torchstone.report.predictions import Predictions, prediction_files, predictions_of
from torchstone.report.sentences import introduction, meaning, speed_sentence
from torchstone.report.sources import Machine
from torchstone.report.tables import SampleBook, Table

if TYPE_CHECKING:
    from jinja2 import Environment as Templates

    from torchstone.report.learning import Learning

MOST_FINDINGS = 120
TITLES = {
    "training": "Training and evaluation",
    "inference": "Inference",
    "finetune": "Fine-tuning",
    "images": "Image processing",
    "transfer": "Moving data",
    "load": "Latency under load",
    "leak": "Memory leaks",
    "selftest": "How small a change can be told",
    "other": "Other measurements",
}


@dataclass
class Section:
    """One part of the page; without content it is left out."""

    slug: str
    title: str
    introduction: str = ""
    meaning: str = ""
    figures: list[Figure] = field(default_factory=list)
    table: Table | None = None
    findings: list[dict[str, Any]] = field(default_factory=list)
    left_out: int = 0
    predictions: list[Predictions] = field(default_factory=list)


def render_page(machines: Sequence[Machine], learning: "Learning | None" = None, title: str | None = None) -> str:
    """The whole page as text."""
    book = SampleBook()
    experiments = experiments_of(machines)
    sections = [_experiment_section(one, book, machines) for one in experiments]
    energy = _energy_section(experiments, book)
    figures = headline_figures(experiments)
    shown = [*sections, *([energy] if energy else []), *_later_sections(machines)]
    return (
        _templates()
        .get_template("page.html.j2")
        .render(
            title=title or _title(machines, learning),
            subtitle=_subtitle(machines),
            made=f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC",
            cards=[cards.machine_card(machine) for machine in machines],
            remarks=findings_first(machines),
            headline=figures,
            headline_meaning=_headline_meaning(experiments),
            reference=_headline_reference(experiments),
            sections=shown,
            pictures=[one for machine in machines for one in pictures_of_run(machine.url, prediction_files(machine))],
            learning=learning,
            specs=embed_json({figure.slug: figure.spec for figure in _all_figures(figures, shown, learning)}),
            samples=embed_json(book.entries),
            **_parts(),
        )
    )


def _all_figures(first: list[Figure], sections: Sequence[Section], learning: "Learning | None") -> list[Figure]:
    last = learning.figures if learning else []
    return [*first, *(figure for section in sections for figure in section.figures), *last]


def _title(machines: Sequence[Machine], learning: "Learning | None") -> str:
    if not machines:
        return "My progress" if learning else "Nothing measured"
    names = [machine.label for machine in machines]
    return f"What {names[0]} is worth" if len(names) == 1 else ", ".join(names[:4])


def _subtitle(machines: Sequence[Machine]) -> str:
    started = sorted(machine.run.started for machine in machines)
    if not started:
        return ""
    versions = sorted({machine.run.environment.torch for machine in machines})
    spans = dict.fromkeys(moment_words(one) for one in (started[0], started[-1]))
    return f"Measured {' to '.join(spans)} · torch {', '.join(versions[:4])}"


def _headline_meaning(experiments: Sequence[Experiment]) -> str:
    training = [row for one in experiments if one.name == "training" for row in one.rows]
    words = speed_sentence(training)
    measured = [row for one in experiments for row in one.rows if row.measurement.samples]
    if words or all(row.measurement.setup.device == "cpu" for row in measured):
        return words
    if not training:
        return "These runs hold no training or evaluation: `torchstone bench training` measures both."
    return "No training or evaluation step was timed on a device and on the CPU, so that none can be compared."


def _headline_reference(experiments: Sequence[Experiment]) -> str:
    return reference_of([row for one in experiments if one.name == "training" for row in one.rows])


def findings_first(machines: Sequence[Machine]) -> list[dict[str, Any]]:
    """What a reader must know before any number: warnings before good news, the files' own troubles first of all."""
    found = [cards.remark(machine, text) for machine in machines for text in machine.remarks]
    found += cards.difference_rows(machines)
    pairs = [(machine, one) for machine in machines for one in machine.run.findings if not _is_elsewhere(one)]
    ordered = sorted(pairs, key=lambda pair: is_good(pair[1]))
    found += [cards.finding_row(one, machine.label if len(machines) > 1 else "") for machine, one in ordered]
    found += cards.problem_rows(machines)
    return sorted(found, key=lambda row: row["good"])[:MOST_FINDINGS]


def _is_elsewhere(finding: Finding) -> bool:
    """What has a part of the page of its own."""
    said = finding.kind == "images" and is_good(finding)
    return said or finding.kind in (*OPERATOR_KINDS, *MODEL_KINDS, PREDICTION_KIND, "grade") or is_step(finding)


def _experiment_section(one: Experiment, book: SampleBook, machines: Sequence[Machine]) -> Section:
    rows = [row for row in one.rows if row.measurement.quantity != "energy"]
    make = tables.wide_table if len(machines) > 1 else tables.long_table
    return Section(
        slug=f"experiment-{cards.slug(one.name)}",
        title=TITLES.get(one.name, one.name),
        introduction=introduction(one.name),
        meaning=meaning(one),
        figures=figures_of(one),
        table=make(one.name, rows, book),
        left_out=one.left_out,
        predictions=predictions_of(machines) if one.name == "finetune" else [],
    )


def _energy_section(experiments: Sequence[Experiment], book: SampleBook) -> Section | None:
    """Energy with the counter that it was read from, or why there is none."""
    rows = [row for one in experiments for row in one.rows if row.measurement.quantity == "energy"]
    if not rows:
        return None
    return Section(
        slug="energy",
        title="Energy",
        introduction="Joules a call above idle, read from a hardware counter; never estimated from a data sheet.",
        meaning=_energy_meaning(rows),
        table=tables.energy_table(rows, book) if any(row.middle is not None for row in rows) else None,
    )


def _energy_meaning(rows: Sequence[Row]) -> str:
    known = [row for row in rows if row.middle is not None and row.measurement.status == "ok"]
    if known:
        sources = ", ".join(sorted({str(row.measurement.facts.get("source") or "unnamed") for row in known})[:4])
        return f"{len(known)} of {len(rows)} could be read. Source: {sources}."
    reasons = dict.fromkeys(row.measurement.reason or "unavailable" for row in rows)
    return f"Not measured: {'; '.join(list(reasons)[:4])}."


def _later_sections(machines: Sequence[Machine]) -> list[Section]:
    """The place of what is said about operators and about a person's own models."""
    wanted = (("operators", "Operators", OPERATOR_KINDS), ("models", "Your own models", MODEL_KINDS))
    found = []
    for slug, title, kinds in wanted:
        pairs = [(machine, one) for machine in machines for one in machine.run.findings if one.kind in kinds]
        rows = [cards.finding_row(one, machine.label if len(machines) > 1 else "") for machine, one in pairs]
        if rows:
            left_out = max(0, len(rows) - 2 * MOST_FINDINGS)
            found.append(Section(slug, title, findings=rows[: 2 * MOST_FINDINGS], left_out=left_out))
    return found


def _parts() -> dict[str, Any]:
    """Style and scripts, with the policy that lets these scripts run and no other."""
    own, vega = read_template("page.js"), vega_javascript()
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in (own, vega))
    policy = (
        f"default-src 'none'; script-src {hashes} 'unsafe-eval'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return {"style": read_template("page.css"), "script": own, "vega": vega, "policy": policy}


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


def read_template(name: str) -> str:
    return resources.files("torchstone.report").joinpath("templates", name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def _templates() -> "Templates":
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("torchstone.report")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def render_index(entries: Sequence[dict[str, Any]], problems: Sequence[str], title: str) -> str:
    """The index page of a folder: one line a run, each with a link to its own page."""
    own = read_template("page.js")
    policy = f"default-src 'none'; script-src 'sha256-{_digest(own)}'; style-src 'unsafe-inline'; base-uri 'none'"
    template = _templates().get_template("index.html.j2")
    parts = {"style": read_template("page.css"), "script": own, "policy": policy}
    return template.render(title=title, entries=entries, problems=problems, **parts)
