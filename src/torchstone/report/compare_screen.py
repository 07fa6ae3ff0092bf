"""`compare` on a terminal: the cases with their ratios, the ones that cannot be compared, and the summary last."""

from typing import TYPE_CHECKING

from torchstone.report.comparing import Comparison, Summary, summary_words
from torchstone.report.formatting import format_value

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {"faster": "green", "slower": "red", "less": "green", "more": "red"}
MOST_SHOWN = 20
"""Names that only one run has: the rest is counted."""


def print_comparison(screen: "Console", summary: Summary) -> None:
    """The whole screen."""
    from rich.table import Table
    from rich.text import Text

    compared = [one for one in summary.cases if one.ratio is not None]
    if compared:
        table = Table(title=f"{summary.b} over {summary.a}", title_justify="left")
        for heading in ("what", "how", "quantity", summary.a, summary.b, "ratio", "95 %", "B is"):
            table.add_column(Text(heading), overflow="fold")
        for one in compared:
            table.add_row(*(Text(cell) for cell in _cells(one)), Text(one.verdict, style=STYLES.get(one.verdict, "")))
        screen.print(table)
    _print_rest(screen, summary)
    screen.print(Text(summary_words(summary), style="bold"))


def _cells(one: Comparison) -> tuple[str, ...]:
    interval = f"{one.low:.3f}–{one.high:.3f}" if one.low is not None and one.high is not None else "too few samples"
    middles = [format_value(value, one.unit) if value is not None else "" for value in (one.a, one.b)]
    return (one.name, one.how, one.quantity, *middles, f"{one.ratio:.3f}", interval)


def _print_rest(screen: "Console", summary: Summary) -> None:
    for one in [one for one in summary.cases if one.ratio is None][:MOST_SHOWN]:
        screen.print(f"not compared: {one.name} ({one.how}), {one.quantity}: {one.reason}")
    hidden = sum(one.ratio is None for one in summary.cases) - MOST_SHOWN
    if hidden > 0:
        screen.print(f"… and {hidden} more that cannot be compared")
    for label, names in ((summary.a, summary.only_a), (summary.b, summary.only_b)):
        if names:
            more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
            screen.print(f"only in {label}: {', '.join(names[:MOST_SHOWN])}{more}")
