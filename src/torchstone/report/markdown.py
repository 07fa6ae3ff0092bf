"""The short form for a README or an issue: the answers, and one table of the bars."""

import re
from collections.abc import Sequence

from torchstone.report.answers import Answers
from torchstone.report.formatting import format_times
from torchstone.report.page import headline, make_view
from torchstone.report.sections import sections_of
from torchstone.report.sources import Machine
from torchstone.report.standings import Bar

MOST_ROWS = 12
MOST_BROKEN = 8
_SPECIAL = re.compile(r"([\\`*_\[\]#|~])")
_LIST_MARK = re.compile(r"^(\d{0,9})([-+=.)])(?=\s|$|[-+=])")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "{": "&#123;", "}": "&#125;"})
"""Braces too: Jekyll runs what stands in them before any Markdown is read."""


def escape_markdown(text: str) -> str:
    """Text that a Markdown renderer shows as it is: no mark-up, no HTML, no link, no new line."""
    escaped = _LIST_MARK.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", text)).translate(_ENTITIES)
    # A bare address would become a link.
    return re.sub(r"(?i)\b(https?|ftp|www|javascript|data)([:.])", "\\1&#8203;\\2", escaped)


def render_markdown(machines: Sequence[Machine], title: str | None = None, beside_published: bool = False) -> str:
    """The whole text, ending with a new line."""
    view = make_view(machines, beside_published)
    parts = [f"## {escape_markdown(title or headline(view))}"]
    for machine, answers in zip(machines, view.answers, strict=True):
        parts += _answer_parts(answers, machine.label if len(machines) > 1 else "")
    for section in sections_of(view):
        if section.shown.sentences:
            lines = "\n".join(f"- {escape_markdown(sentence)}" for sentence in section.shown.sentences)
            parts += [f"### {escape_markdown(section.title)}", lines]
    parts.append("A difference is declared beyond doubt or not at all. Made by torchstone from the run files.")
    return "\n\n".join(parts) + "\n"


def _answer_parts(answers: Answers, label: str) -> list[str]:
    said = [answers.machine, *([f"{label}: {answers.headline}"] if label else []), *answers.use.sentences]
    said += [f"{words}." for words in answers.remarks]
    said.append(f"To be trusted? {answers.trust.sentence}")
    if answers.not_done_words:
        said.append(f"Not done: {answers.not_done_words}.")
    parts = ["\n".join(f"- {escape_markdown(words)}" for words in said)]
    if answers.bars:
        parts.append(bars_table(answers.bars))
    return [*parts, *(["### What is broken", broken_list(answers)] if answers.broken else [])]


def broken_list(answers: Answers, most: int = MOST_BROKEN) -> str:
    """One line a trouble, with what to do."""
    lines = [
        f"- **{escape_markdown(one.what)}**: {escape_markdown(one.evidence + '. What to do: ' + one.to_do)}."
        for one in answers.broken[:most]
    ]
    more = len(answers.broken) - most
    return "\n".join([*lines, *([f"- and {more} more in the run file."] if more > 0 else [])])


def bars_table(bars: Sequence[Bar], most: int = MOST_ROWS) -> str:
    lines = ["| model | work | on | times as fast as the CPU | rate |", "|---|---|---|---:|---:|"]
    for bar in bars[:most]:
        batch = f", batch {bar.batch}" if bar.batch is not None else ""
        doubt = "" if bar.verdict != "unclear" else " (undecided)"
        rate = f"{bar.rates.words} {bar.item}/s" if bar.rates.words else ""
        on = f"{bar.device}{', ' + bar.how if bar.how else ''}"
        cells = (bar.model, f"{bar.stage}{batch}", on, f"{format_times(bar.times)}{doubt}", rate)
        lines.append("| " + " | ".join(escape_markdown(cell) for cell in cells) + " |")
    return "\n".join([*lines, *([f"| … {len(bars) - most} more | | | | |"] if len(bars) > most else [])])
