"""The screen after `bench`: the machine, the verdict, three models, what to use, what is broken; under 25 lines.

Everything on it is an answer; the page has the rest. At 100 columns lines are cut, not folded, but for the verdict;
with fewer all are folded, and training and evaluation stand below each other.
"""

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from torchstone.records import Run
from torchstone.report.answers import Answers, answer_run
from torchstone.report.cleaning import clean_run
from torchstone.report.formatting import count_words, format_times
from torchstone.report.names import EVALUATION, TRAINING
from torchstone.report.standings import Bar

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 100
MODELS_SHOWN = 3
USES_SHOWN = 4
BROKEN_SHOWN = 3
BAR_WIDTH = 14
NAME_WIDTH = 21
COLUMN = 34
"""A bar with its figures."""
MARGIN = 9
"""Where the answers begin, after their heading."""
_EIGHTHS = " ▏▎▍▌▋▊▉█"


def print_screen(screen: "Console", run: Run, name: str, in_full: bool = False) -> None:
    """The whole summary; `name` is what `report` finds the run by, empty where no file is kept. `in_full` folds what
    would be cut."""
    from rich.text import Text

    answers = answer_run(clean_run(run))
    width = min(screen.width, WIDTH)
    for style, line in screen_lines(answers, width, in_full):
        screen.print(Text(line, style=style), no_wrap=True, crop=False, overflow="ignore")
    if name:
        command = f"  torchstone report {name} --open"
        screen.print(Text(f"{command}      page, figures, every sample"), soft_wrap=True)


def screen_lines(answers: Answers, width: int = WIDTH, in_full: bool = False) -> Iterator[tuple[str, str]]:
    """Every line with its style; on a narrower terminal all is folded, as cutting would leave too little."""
    is_narrow = width < WIDTH
    in_full = in_full or is_narrow
    machine = _fold_all([answers.machine], width) if is_narrow else [_cut(answers.machine, width)]
    yield from (("dim", line) for line in machine)
    yield "", ""
    for line in textwrap.wrap(answers.headline, width, max_lines=None if in_full else 3, placeholder=" …"):
        yield "bold", line
    yield "", ""
    bars = list(_stacked_bars(answers.bars, width) if is_narrow else _bar_lines(answers.bars, width))
    yield from (("", line) for line in bars)
    if bars:
        yield "", ""
    for heading, style, lines in _answers(answers):
        is_only_trouble = heading == "Broken" and len(answers.broken) == 1
        folded = _fold_all(lines, width - MARGIN) if in_full else _fold(lines, width - MARGIN, is_only_trouble)
        for number, line in enumerate(folded):
            yield style, _cut(f"{heading if not number else '':{MARGIN}}{line}", width)
    yield "", ""


def _fold(lines: Sequence[str], width: int, has_room: bool = False) -> Iterator[str]:
    """The last sentence of an answer may take two lines, so that nothing is cut where a line more costs nothing; with
    room every one may."""
    for number, line in enumerate(lines, 1):
        if has_room or number == len(lines):
            yield from textwrap.wrap(line, width, max_lines=2, placeholder=" …") or [line]
        else:
            yield line


def _fold_all(lines: Sequence[str], width: int) -> Iterator[str]:
    for line in lines:
        yield from textwrap.wrap(line, width) or [line]


def _answers(answers: Answers) -> Iterator[tuple[str, str, list[str]]]:
    yield "Use", "", answers.use.sentences[:USES_SHOWN]
    broken = [line for one in answers.broken[:BROKEN_SHOWN] for line in (one.words, f"  → {one.to_do}")]
    if len(answers.broken) > BROKEN_SHOWN:
        broken[-2:] = [f"and {count_words(len(answers.broken) - BROKEN_SHOWN + 1, 'more thing')}: see the page"]
    yield "Broken", "red", broken
    yield "Note", "", list(answers.remarks[:MODELS_SHOWN])
    yield "Not done", "", [answers.not_done_words] if answers.not_done_words else []
    yield "Trust", "" if answers.trust.is_trusted else "yellow", [answers.trust.sentence]


def _chosen(bars: Sequence[Bar]) -> tuple[list[str], list[str], list[Bar]]:
    """The stages and the models that are shown, and their bars."""
    stages = [stage for stage in (TRAINING, EVALUATION) if any(bar.stage == stage for bar in bars)]
    models = list(dict.fromkeys(bar.model for bar in bars if bar.stage in stages))[:MODELS_SHOWN]
    return stages, models, [bar for bar in bars if bar.model in models]


def _stacked_bars(bars: Sequence[Bar], width: int) -> Iterator[str]:
    """One stage below the other; the figures alone where not even one bar fits beside its name."""
    stages, _, shown = _chosen(bars)
    longest = max(1.0, *(bar.times for bar in shown)) if shown else 1.0
    for stage in stages:
        yield " " * NAME_WIDTH + stage
        for bar in shown:
            if bar.stage == stage:
                cell = _bar_cell(bar, longest) if width >= NAME_WIDTH + COLUMN else _figures(bar)
                yield _cut(f"  {_cut(bar.model, NAME_WIDTH - 3):{NAME_WIDTH - 2}}{cell}", width)


def _bar_lines(bars: Sequence[Bar], width: int) -> Iterator[str]:
    """A line a model; training and evaluation beside each other where both fit."""
    stages, models, shown = _chosen(bars)
    if not models:
        return
    longest = max(max(bar.times for bar in shown), 1.0)
    yield _cut(" " * NAME_WIDTH + "".join(f"{stage:{COLUMN}}" for stage in stages), width)
    for model in models:
        own = {bar.stage: bar for bar in shown if bar.model == model}
        cells = [_bar_cell(own[stage], longest) if stage in own else "" for stage in stages]
        if len(cells) > 1 and max(map(len, cells)) >= COLUMN:
            cells = [cell if len(cell) < COLUMN else cell[: cell.rindex("  ")] for cell in cells]
        batches = dict.fromkeys(str(bar.batch) for bar in own.values() if bar.batch is not None)
        batch = f"batch {'/'.join(batches)}" if batches else ""
        name = _cut(f"  {model}", NAME_WIDTH - 1)
        yield _cut(f"{name:{NAME_WIDTH}}{''.join(f'{cell:{COLUMN}}' for cell in cells)}{batch}", width)


def _bar_cell(bar: Bar, longest: float) -> str:
    """A bar that begins at nothing."""
    return f"{_blocks(bar.times / longest)} {_figures(bar)}"


def _figures(bar: Bar) -> str:
    """What is not decided has a question mark."""
    rate = f"  {bar.rates.short_words}" if bar.rates.short_words else ""
    mark = "" if bar.verdict != "unclear" else "?"
    return f"{format_times(bar.times)}{mark}{rate}"


def _blocks(share: float) -> str:
    eighths = round(min(max(share, 0.0), 1.0) * BAR_WIDTH * 8)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_EIGHTHS[rest] if rest else "")


def _cut(line: str, width: int) -> str:
    line = line.rstrip()
    return line if len(line) <= width else line[: width - 1] + "…"
