"""`compare` on a terminal: the answer in the first line, what else differs, and the ten largest differences."""

from typing import TYPE_CHECKING

from torchstone.report.comparing import Comparison, Summary, largest_differences, verdict_words
from torchstone.report.formatting import count_words, format_rate, format_times, format_value

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {"faster": "green", "slower": "red", "less": "green", "more": "red"}
MOST_SHOWN = 10
MOST_REASONS = 3
TABLE_WIDTH = 88
"""Columns: in less, the cells of seven columns break into syllables."""


def print_comparison(screen: "Console", summary: Summary) -> None:
    """The whole screen."""
    from rich.text import Text

    screen.print(Text(verdict_words(summary), style="bold"))
    if summary.is_same_run:
        return
    for warning in summary.warnings:
        screen.print(Text(f"warning: {warning}", style="yellow"))
    decided = largest_differences(summary)
    if decided:
        show = _print_table if screen.width >= TABLE_WIDTH else _print_lines
        show(screen, summary, decided[:MOST_SHOWN])
    _print_rest(screen, summary, len(decided) - MOST_SHOWN)


def _print_table(screen: "Console", summary: Summary, shown: list[Comparison]) -> None:
    from rich.table import Table
    from rich.text import Text

    title = Text(f"The largest differences, {summary.b} over {summary.a}")
    table = Table(title=title, title_justify="left")
    for heading in ("what", "how", summary.a, summary.b, "times", "95 %", f"{summary.b} is"):
        table.add_column(Text(heading), overflow="fold")
    for one in shown:
        table.add_row(*(Text(cell) for cell in _cells(one)), Text(one.verdict, style=STYLES.get(one.verdict, "")))
    screen.print(table)


def _print_lines(screen: "Console", summary: Summary, shown: list[Comparison]) -> None:
    from rich.text import Text

    screen.print(Text(f"The largest differences, {summary.a} → {summary.b}:"))
    for one in shown:
        what, how, before, after, times, interval = _cells(one)
        words = f"  {what} ({how}): {before} → {after}, {times} ({interval}), "
        screen.print(Text(words).append(one.verdict, style=STYLES.get(one.verdict, "")))


def _cells(one: Comparison) -> tuple[str, ...]:
    """Speeds as how many times as fast; anything else as how many times as much."""
    what = one.what + ("" if one.unit == "s" else f", {one.quantity}")
    ratio = one.ratio or 1.0
    ends = (one.low, one.high) if one.unit != "s" else tuple(1 / end if end else None for end in (one.high, one.low))
    interval = f"{format_times(ends[0])}–{format_times(ends[1])}" if ends[0] and ends[1] else "too few samples"
    times = format_times(1 / ratio if one.unit == "s" else ratio)
    return (what, one.how, _amount(one.a, one.rate_a, one), _amount(one.b, one.rate_b, one), times, interval)


def _amount(value: float | None, rate: float | None, one: Comparison) -> str:
    if rate is not None:
        return format_rate(rate, one.item, 1.0)
    return format_value(value, one.unit) if value is not None else ""


def _print_rest(screen: "Console", summary: Summary, hidden: int) -> None:
    counted = [
        f"{count_words(hidden, 'smaller difference')}" if hidden > 0 else "",
        f"{count_words(summary.count('same'), 'case')} the same" if summary.count("same") else "",
        _undecided_words([one for one in summary.cases if one.verdict == "unclear"]),
        f"{count_words(summary.left_out, 'case')} left out" if summary.left_out else "",
    ]
    if any(counted):
        screen.print(f"not shown: {', '.join(filter(None, counted))}; --json holds all")
    refused = [one for one in summary.cases if one.ratio is None]
    if refused:
        reasons = list(dict.fromkeys(one.reason or "" for one in refused))[:MOST_REASONS]
        screen.print(f"not compared: {count_words(len(refused), 'case')} ({'; '.join(reasons)})")
    for label, names in ((summary.a, summary.only_a), (summary.b, summary.only_b)):
        if names:
            more = f" and {len(names) - MOST_REASONS} more" if len(names) > MOST_REASONS else ""
            screen.print(f"only in {label}: {', '.join(names[:MOST_REASONS])}{more}")


def _undecided_words(unclear: list[Comparison]) -> str:
    few = sum(one.low is None for one in unclear)
    for_want = f" ({few} of them for want of samples: a larger --budget helps)" if few else ""
    return f"{count_words(len(unclear), 'case')} not decided{for_want}" if unclear else ""
