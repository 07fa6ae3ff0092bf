"""One screen after `tune`: the answer, the winners, what was wrong or lost, and where the code is."""

from typing import TYPE_CHECKING, Any

from torchstone.report.terminal import format_seconds

if TYPE_CHECKING:
    from rich.console import Console

SHOWN_LOST = 6


def setup_words(setup: dict[str, Any]) -> str:
    """A setup for people: what differs from a plain run."""
    words = [setup["device"], setup["engine"]]
    if setup["precision"] != "as it is":
        words.append(
            f"{setup['precision']} {setup['dtype']}"
            if setup["precision"] in ("cast", "autocast")
            else setup["precision"]
        )
    if setup["memory_format"] != "contiguous":
        words.append(setup["memory_format"])
    threads = setup["threads"]
    words.append(f"{threads} thread{'s' if threads != 1 else ''}")
    return ", ".join(str(word) for word in (*words, *setup["options"]))


def print_answer(screen: "Console", target: str, answer: dict[str, Any], url: str, emitted: str | None) -> None:
    """The whole of it."""
    print_found(screen, target, answer)
    if emitted is not None:
        screen.print(f"The code: {emitted}", markup=False, soft_wrap=True)
    screen.print(f"Kept in {url}", markup=False, soft_wrap=True)


def print_found(screen: "Console", target: str, answer: dict[str, Any]) -> None:
    """What was found, without where it is kept: a notebook shows this."""
    from rich.table import Table
    from rich.text import Text

    screen.print(Text(f"{target}: {answer['advice']}", style="bold"))
    plain = format_seconds(answer["baseline"]["median_s"])
    table = Table(title=f"Winners, tied ({plain} a call is the plain run)", title_justify="left")
    for heading in ("setup", "times as fast", "95 %", "error", "to prepare", "pays after"):
        table.add_column(heading, overflow="fold")
    for winner in answer["winners"]:
        table.add_row(*_cells(winner))
    screen.print(table)
    for title, records in (("Wrong, never recommended", answer["wrong"]), ("Lost or not tried", answer["lost"])):
        for record in records[:SHOWN_LOST]:
            screen.print(f"{title}: {setup_words(record['setup'])}: {record['reason']}", markup=False)
    for batch in answer["batches"][:3]:
        rate = f"{batch['ratio']:.3g} times as many rows a second, {format_seconds(batch['call_s'])} a call"
        screen.print(f"Batch of {batch['times']} times the rows, {setup_words(batch['setup'])}: {rate}", markup=False)


def _cells(winner: dict[str, Any]) -> list[str]:
    interval = "too few rounds" if winner["low"] is None else f"{winner['low']:.3g}–{winner['high']:.3g}"
    error = "" if not isinstance(winner["error"], float) else f"{winner['error']:.1g}"
    pays = winner["pays_after_calls"]
    return [
        setup_words(winner["setup"]),
        f"{winner['ratio']:.3g}×",
        interval,
        error,
        format_seconds(winner["prepare_s"]),
        "" if pays is None else f"{pays:,.0f} calls",
    ]
