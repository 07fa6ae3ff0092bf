"""One screen after `tune`: the answer, the winners, what was wrong or lost, and where the code is."""

from typing import TYPE_CHECKING, Any

import msgspec

from torchstone.records import Setup
from torchstone.report.formatting import format_number, format_times
from torchstone.report.terminal import format_bytes, format_seconds

if TYPE_CHECKING:
    from rich.console import Console

SHOWN_REASONS = 6
SHOWN_UNDECIDED = 6
SHOWN_BATCHES = 3
REASON_LENGTH = 160


def print_answer(screen: "Console", target: str, answer: dict[str, Any], url: str, emitted: str | None) -> None:
    """The whole of it."""
    print_found(screen, target, answer)
    if emitted is not None:
        code = emitted if answer["code"] is not None else f"none: {emitted} was not written"
        screen.print(f"The code: {code}", markup=False, soft_wrap=True)
    screen.print(f"Kept in {url}", markup=False, soft_wrap=True)


def print_found(screen: "Console", target: str, answer: dict[str, Any]) -> None:
    """What was found, without where it is kept: a notebook shows this."""
    from rich.text import Text

    screen.print(Text(f"{target}: {answer['advice']}", style="bold"))
    for note in answer["notes"]:
        screen.print(Text(f"note: {note}", style="yellow"))
    if answer["winners"]:
        screen.print(_draw_winners(answer))
    for one in answer["undecided"][:SHOWN_UNDECIDED]:
        screen.print(_undecided_words(one), markup=False, highlight=False)
    for title, records in (("Wrong, never recommended", answer["wrong"]), ("Lost or not tried", answer["lost"])):
        for line in _group_reasons(records)[:SHOWN_REASONS]:
            screen.print(f"{title}: {line}", markup=False, highlight=False)
    for batch in answer["batches"][:SHOWN_BATCHES]:
        rate = f"{format_number(batch['ratio'])} times as many rows a second, {format_seconds(batch['call_s'])} a call"
        beyond = "" if batch["keeps_bound"] else ", beyond a bound"
        screen.print(
            f"Batch of {batch['times']} times the rows, {_words(batch['setup'])}: {rate}{beyond}", markup=False
        )


def _undecided_words(one: dict[str, Any]) -> str:
    """In doubt or not decided: with its figure, and why that is not believed yet."""
    interval = "" if one["low"] is None else f" ({_interval(one)})"
    title = "Not recommended" if one["is_doubted"] else "Not decided"
    return f"{title}: {_words(one['setup'])}, {format_times(one['ratio'])}{interval}: {one['why']}"


def _interval(one: dict[str, Any]) -> str:
    return f"{format_number(one['low'])}–{format_number(one['high'])}"


def _words(setup: dict[str, Any]) -> str:
    return msgspec.convert(setup, Setup).words


def _draw_winners(answer: dict[str, Any]) -> Any:
    from rich.table import Table

    plain = format_seconds(answer["baseline"]["median_s"])
    title = "Winner" if len(answer["winners"]) == 1 else "Winners, tied: nobody has beaten another"
    table = Table(title=f"{title} ({plain} a call is the plain run)", title_justify="left")
    extra = [name for name in ("memory_bytes", "energy_joules") if any(one[name] for one in answer["winners"])]
    amounts = {"memory_bytes": "peak memory", "energy_joules": "energy a call"}
    for heading in (
        "setup",
        "times as fast",
        "95 %",
        "error",
        "to prepare",
        "pays after",
        *(amounts[name] for name in extra),
    ):
        table.add_column(heading, overflow="fold")
    for winner in answer["winners"]:
        table.add_row(*_cells(winner, answer["baseline"]["setup"]), *(_amount(winner, name) for name in extra))
    return table


def _cells(winner: dict[str, Any], plain: dict[str, Any]) -> list[str]:
    is_plain = winner["setup"] == plain
    interval = "too few rounds" if winner["low"] is None else _interval(winner)
    error = "unverified" if not isinstance(winner["error"], float) else f"{winner['error']:.1g}"
    pays = winner["pays_after_calls"]
    paid = "" if pays is None else "at once" if pays < 1 else f"{pays:,.0f} calls"
    return [
        _words(winner["setup"]),
        "the plain run" if is_plain else format_times(winner["ratio"]),
        "" if is_plain else interval,
        error,
        format_seconds(winner["prepare_s"]),
        paid,
    ]


def _amount(winner: dict[str, Any], name: str) -> str:
    if winner[name] is None:
        return "not measured"
    return format_bytes(winner[name]) if name == "memory_bytes" else f"{format_number(winner[name])} J"


def _group_reasons(records: list[dict[str, Any]]) -> list[str]:
    """Setups with the same reason in one line; of a long reason its beginning, as `--json` has the rest."""
    groups: dict[str, list[str]] = {}
    for record in records:
        reason = " ".join(str(record["reason"]).split())
        short = reason if len(reason) <= REASON_LENGTH else f"{reason[:REASON_LENGTH].rsplit(' ', 1)[0]} …"
        groups.setdefault(short, []).append(_words(record["setup"]))
    return [f"{' and '.join(setups)}: {reason}" for reason, setups in groups.items()]
