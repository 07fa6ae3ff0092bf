"""A learner's progress for the page: chapters, marks and pictures, read from the files in the learner's folder."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from torchstone import records
from torchstone.errors import UserError
from torchstone.records import Finding
from torchstone.report.chapter_card import ChapterCard, draw_card
from torchstone.report.charts.parts import PALETTE, Spec
from torchstone.report.cleaning import clean_record
from torchstone.report.figures import Figure
from torchstone.report.pictures import Picture, pictures_in
from torchstone.report.tables import Cell, Table

STATE_FILE = "torchstone-learn.json"
FOLDER = ".torchstone"
MARKS = ("solved", "lean", "fast")
MOST_EXERCISES = 2000
LARGEST_BYTES = 8_000_000


@dataclass(frozen=True)
class Learning:
    """What the page's section on learning shows."""

    meaning: str
    figures: list[Figure]
    chapters: Table
    exercises: Table
    pictures: list[Picture]
    cards: list[str]
    """One SVG for each chapter that was begun."""


def read_learning(folder: Path) -> Learning:
    """The section for one learner's folder."""
    grades = _read_grades(folder / FOLDER / "grades.jsonl")
    hints = _read_hints(folder / STATE_FILE)
    chapters: dict[str, list[Finding]] = defaultdict(list)
    for grade in grades:
        chapters[grade.subject.partition("/")[0]].append(grade)
    return Learning(
        meaning=_meaning(grades, chapters),
        figures=_chapter_figures(chapters),
        chapters=_chapter_table(chapters),
        exercises=_exercise_table(grades, hints),
        pictures=pictures_in(folder / FOLDER / "pictures"),
        cards=[draw_card(card) for card in chapter_cards(grades) if card.solved],
    )


def read_cards(folder: Path) -> dict[str, str]:
    """The cards of a learner's folder as SVGs, by chapter, those that were not begun too."""
    grades = _read_grades(folder / FOLDER / "grades.jsonl")
    return {card.title.replace(" ", "_"): draw_card(card) for card in chapter_cards(grades)}


def chapter_cards(grades: Sequence[Finding]) -> list[ChapterCard]:
    chapters: dict[str, list[Finding]] = defaultdict(list)
    for grade in grades:
        chapters[grade.subject.partition("/")[0]].append(grade)
    return [_chapter_card(name, found) for name, found in chapters.items()]


def _chapter_card(name: str, grades: Sequence[Finding]) -> ChapterCard:
    solved, of = _counts(grades, "solved")
    stars = [_counts(grades, mark) for mark in MARKS[1:]]
    days = [str(one.facts["solved"]) for one in grades if one.facts.get("solved")]
    return ChapterCard(
        title=chapter_words(name),
        solved=solved,
        exercises=of,
        stars=sum(got for got, _ in stars),
        offered_stars=sum(of for _, of in stars),
        last_day=max(days, default=""),
    )


def _read_grades(path: Path) -> list[Finding]:
    try:
        with path.open("rb") as file:
            lines = file.read(LARGEST_BYTES).splitlines()[:MOST_EXERCISES]
    except OSError as error:
        hint = "give a folder that `torchstone learn init` made, once something was graded in it: torchstone learn run"
        raise UserError(f"no grades in {path.parent.parent}: {error.strerror}", hint) from None
    return [record for line in lines if (record := _decode(path, line)) is not None]


def _decode(path: Path, line: bytes) -> Finding | None:
    if not line.strip():
        return None
    try:
        record = records.decode_record(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UserError(f"{path}: {error}", "grade something again to have it written anew") from None
    return _clean_grade(record) if isinstance(record, Finding) else None


def _clean_grade(record: Finding) -> Finding | None:
    cleaned = clean_record(record)
    return cleaned if isinstance(cleaned, Finding) and cleaned.kind == "grade" else None


def _read_hints(path: Path) -> dict[str, int]:
    """Hints seen by exercise; the file may be absent or damaged, which costs only these."""
    try:
        state: Any = json.loads(path.read_bytes()[:LARGEST_BYTES])
        return {str(name): int(one.get("hints", 0)) for name, one in state["exercises"].items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def earned(grade: Finding) -> tuple[str, ...]:
    return tuple(mark for mark in MARKS if grade.facts.get(mark))


def offered(grade: Finding) -> tuple[str, ...]:
    """The marks that an exercise has to give; its evidence lists them after the colon."""
    words = {word.strip() for word in grade.evidence.partition(":")[2].split(",")}
    return tuple(mark for mark in MARKS if mark in words or grade.facts.get(mark))


def _counts(grades: Sequence[Finding], mark: str) -> tuple[int, int]:
    return sum(mark in earned(one) for one in grades), sum(mark in offered(one) for one in grades)


def _meaning(grades: Sequence[Finding], chapters: dict[str, list[Finding]]) -> str:
    solved, of = _counts(grades, "solved")
    whole = sum(_counts(found, "solved")[0] == len(found) for found in chapters.values())
    stars = sum(len(earned(one)) for one in grades) - solved
    days = sorted({str(one.facts["solved"]) for one in grades if one.facts.get("solved")})
    since = f" The first on {days[0]}, the latest on {days[-1]}." if days else ""
    return (
        f"{solved} of {of} exercises solved, {stars} further marks, {whole} of {len(chapters)} chapters whole"
        f"{_hours(grades)}.{since}"
    )


def _hours(grades: Sequence[Finding]) -> str:
    """What the solved exercises are expected to take, by their tasks; nobody's time is measured."""
    minutes = [(float(one.facts.get("minutes") or 0), "solved" in earned(one)) for one in grades]
    total, done = sum(one for one, _ in minutes), sum(one for one, is_solved in minutes if is_solved)
    return f"; about {done / 60:.1f} of {total / 60:.0f} hours of work" if total else ""


def _chapter_table(chapters: dict[str, list[Finding]]) -> Table:
    rows = []
    for name, grades in chapters.items():
        counts = [_counts(grades, mark) for mark in MARKS]
        cells = [Cell(f"{got} of {of}" if of else "–", got / of if of else "") for got, of in counts]
        rows.append((Cell(chapter_words(name), name), *cells))
    return Table("chapters", ("Chapter", *(mark.capitalize() for mark in MARKS)), tuple(rows))


def _exercise_table(grades: Sequence[Finding], hints: dict[str, int]) -> Table:
    rows = tuple(_exercise_row(grade, hints) for grade in grades)
    statuses = tuple(dict.fromkeys(grade.verdict for grade in grades))
    return Table("exercises", ("Exercise", "Marks", "Hints seen", "Solved on", "State"), rows, statuses)


def _exercise_row(grade: Finding, hints: dict[str, int]) -> tuple[Cell, ...]:
    exercise = grade.subject.partition("/")[2] or grade.subject
    seen = hints.get(exercise.lstrip("0123456789_"), 0)
    return (
        Cell(grade.subject, grade.subject),
        Cell(", ".join(earned(grade)) or "–", len(earned(grade))),
        Cell(str(seen) if seen else "", seen),
        Cell(str(grade.facts.get("solved") or ""), str(grade.facts.get("solved") or "")),
        Cell(grade.verdict, grade.verdict, style="faster" if earned(grade) else ""),
    )


def chapter_words(name: str) -> str:
    return name.replace("_", " ")


def _chapter_figures(chapters: dict[str, list[Finding]]) -> list[Figure]:
    points = [
        {"chapter": chapter_words(name), "mark": mark, "share": got / of, "shown": f"{got} of {of}"}
        for name, grades in chapters.items()
        for mark in MARKS
        for got, of in [_counts(grades, mark)]
        if of
    ]
    description = "The share of marks earned in each chapter; the table below holds the numbers."
    return (
        [Figure("learning", "Marks earned by chapter", description, _chapter_spec(points, description))]
        if points
        else []
    )


def _chapter_spec(points: list[dict[str, Any]], description: str) -> Spec:
    colours = {"domain": list(MARKS), "range": [PALETTE[0], PALETTE[2], PALETTE[4]]}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": description,
        "width": 760,
        "height": 38 * len({point["chapter"] for point in points}),
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": points},
        "mark": {"type": "bar", "cornerRadiusEnd": 2},
        "encoding": {
            "y": {"field": "chapter", "type": "nominal", "sort": None, "title": None, "axis": {"labelLimit": 320}},
            "yOffset": {"field": "mark", "type": "nominal", "sort": list(MARKS)},
            "x": {
                "field": "share",
                "type": "quantitative",
                "scale": {"domain": [0, 1]},
                "axis": {"format": "%", "tickCount": 5},
                "title": "earned",
            },
            "color": {"field": "mark", "type": "nominal", "scale": colours, "legend": {"orient": "top", "title": None}},
            "tooltip": [{"field": name, "type": "nominal"} for name in ("chapter", "mark", "shown")],
        },
    }
