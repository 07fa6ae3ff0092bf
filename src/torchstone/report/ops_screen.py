"""What `ops` shows: while it runs a bar, and afterwards what is wrong or missing, first the worst."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from torchstone.errors import spell_some
from torchstone.records import Finding
from torchstone.report.atlas import OpCell, count_verdicts, worst_first
from torchstone.report.live import Progress, record_words
from torchstone.report.terminal import console

if TYPE_CHECKING:
    from rich.console import Console

MOST_ROWS = 60
"""On a screen; the page and --json have all."""


@contextmanager
def atlas_view() -> Iterator[Callable[[Progress], None]]:
    """A bar on a terminal; off it, a line for each operator that is not fine."""
    terminal = console(stderr=True)
    if not terminal.is_terminal:
        yield lambda progress: _say_if_bad(terminal, progress)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=terminal, transient=True) as bar:
        task = bar.add_task("importing torch's operator samples", total=None)

        def show(progress: Progress) -> None:
            words = progress.note or progress.case or "importing torch's operator samples"
            bar.update(task, total=progress.total or None, completed=progress.done, description=words)
            if _is_bad(progress):
                bar.console.print(record_words(progress.record), markup=False)  # type: ignore[arg-type]

        yield show


def _is_bad(progress: Progress) -> bool:
    return isinstance(progress.record, Finding) and progress.record.level == "problem"


def _say_if_bad(terminal: "Console", progress: Progress) -> None:
    if _is_bad(progress) and progress.record is not None:
        terminal.print(f"[{progress.done} of {progress.total}] {record_words(progress.record)}", markup=False)


def print_atlas(terminal: "Console", cells: Sequence[OpCell], title: str, every: bool = False) -> None:
    """What is not fine, and the counts of all."""
    bad = [cell for cell in worst_first(cells) if every or cell.verdict not in ("ok", "skipped")]
    if bad:
        terminal.print(_table(bad[:MOST_ROWS]))
    if len(bad) > MOST_ROWS:
        terminal.print(f"… and {len(bad) - MOST_ROWS} more: --json has all", markup=False)
    _print_left_out(terminal, cells)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in count_verdicts(cells).items())
    terminal.print(f"{title}: {counts or 'nothing was judged'}", markup=False)


def _print_left_out(terminal: "Console", cells: Sequence[OpCell]) -> None:
    """What probes had no time for: what is right so far is not right under all conditions."""
    left = {cell.name: cell.left_out for cell in cells if cell.left_out}
    if left:
        names = spell_some(list(left))
        words = f"no time was left for {sum(left.values())} conditions of {len(left)} operators"
        terminal.print(f"{words} ({names}): give more --budget, or name fewer operators", markup=False)


def _table(cells: Sequence[OpCell]) -> object:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("verdict", "operator", "dtype", "direction", "how it is known", "why"):
        table.add_column(column, overflow="fold")
    for cell in cells:
        name = (cell.name or cell.op) + (f".{cell.variant}" if cell.variant else "")
        words = (cell.verdict, name, cell.dtype, cell.direction, cell.tier, cell.reason)
        table.add_row(*(escape(word) for word in words))
    return table
