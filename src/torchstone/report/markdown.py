"""The short form for a README or an issue: one table of what was faster and slower, and what to know beforehand."""

import re
from collections.abc import Sequence
from typing import Any

from torchstone.report.cases import Experiment, Row, experiments_of, is_believable, reference_of
from torchstone.report.charts import place_words
from torchstone.report.formatting import format_times
from torchstone.report.page import TITLES, findings_first
from torchstone.report.sentences import meaning
from torchstone.report.sources import Machine

MOST_ROWS = 12
MOST_FINDINGS = 8
_SPECIAL = re.compile(r"([\\`*_\[\]#|~])")
_LIST_MARK = re.compile(r"^(\d{0,9})([-+=.)])(?=\s|$|[-+=])")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "{": "&#123;", "}": "&#125;"})
"""Braces too: Jekyll runs what stands in them before any Markdown is read."""


def escape_markdown(text: str) -> str:
    """Text that a Markdown renderer shows as it is: no mark-up, no HTML, no link, no new line."""
    escaped = _LIST_MARK.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", text)).translate(_ENTITIES)
    # A bare address would become a link.
    return re.sub(r"(?i)\b(https?|ftp|www|javascript|data)([:.])", "\\1&#8203;\\2", escaped)


def render_markdown(machines: Sequence[Machine], title: str | None = None) -> str:
    """The whole text, ending with a new line."""
    parts = [f"## {escape_markdown(title or 'What ' + ', '.join(one.label for one in machines[:4]) + ' is worth')}"]
    parts += ["\n".join(_machine_line(machine) for machine in machines)]
    warnings = [row for row in findings_first(machines) if not row["good"]][:MOST_FINDINGS]
    if warnings:
        parts += ["### Findings and warnings", "\n".join(_finding_line(row) for row in warnings)]
    for one in experiments_of(machines):
        parts += _experiment_parts(one)
    parts.append("Medians with 95 % intervals from the order of the samples; made by torchstone from the run files.")
    return "\n\n".join(parts) + "\n"


def _machine_line(machine: Machine) -> str:
    found = machine.run.environment
    devices = ", ".join(f"{device.id} ({device.name})" for device in machine.run.devices)
    text = f"{machine.label}: {devices}; torch {found.torch}, {found.os}, {found.threads} CPU threads"
    return f"- {escape_markdown(text)}"


def _finding_line(row: dict[str, Any]) -> str:
    hint = f" – {row['hint']}" if row["hint"] else ""
    return f"- **{escape_markdown(row['verdict'])}**: {escape_markdown(row['subject'] + ': ' + row['evidence'] + hint)}"


def _experiment_parts(one: Experiment) -> list[str]:
    parts = [f"### {escape_markdown(TITLES.get(one.name, one.name))}", escape_markdown(meaning(one))]
    rows = [row for row in one.rows if is_believable(row) and row.measurement.unit == "s"]
    return [*parts, markdown_table(rows)] if rows else parts


def markdown_table(rows: Sequence[Row], most: int = MOST_ROWS) -> str:
    """What, how, how long, how many times faster; the extremes where there are too many."""
    ranked = sorted(rows, key=lambda row: -(row.speedup.ratio if row.speedup else 1.0))
    shown = ranked if len(ranked) <= most else [*ranked[: most // 2], *ranked[-most // 2 :]]
    compared = any(row.speedup for row in rows)
    lines = ["| what | how | median | 95 % |" + (f" against {reference_of(rows)} |" if compared else "")]
    lines += ["|---|---|---:|---|" + ("---:|" if compared else "")]
    lines += [_table_line(row, compared) for row in rows if any(row is one for one in shown)]
    if len(shown) < len(rows):
        lines.append(f"| … {len(rows) - len(shown)} more | | | |" + (" |" if compared else ""))
    return "\n".join(lines)


def _table_line(row: Row, compared: bool) -> str:
    times = format_times(row.speedup.ratio) if row.speedup else ""
    cells = (row.what, place_words(row), row.value_words, row.interval_words, *([times] if compared else []))
    return "| " + " | ".join(escape_markdown(cell) for cell in cells) + " |"
