"""Which machine or version is faster, case by case, where two runs can be compared."""

from typing import TYPE_CHECKING, Any

import click

from torchstone.options import json_option, print_json

if TYPE_CHECKING:
    from torchstone.report.comparing import Summary

REGRESSED = 1


@click.command()
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--fail-on-regression",
    "percent",
    metavar="PCT",
    type=click.FloatRange(0, 10_000),
    default=None,
    help="Exit with 1 where a case of B is slower than A by more than this, beyond doubt, or has no right number left.",
)
@json_option
@click.pass_context
def command(context: click.Context, a: str, b: str, percent: float | None, as_json: bool) -> None:
    """Set run B against run A.

    Each is a run file, a URL, label=path, or `last` and `last~1` for the newest runs. The first line answers. The same
    work is compared: the same case, dtype, protocol and quality; a step of another batch by its items a second; another
    torch, machine or number of threads is said as a warning.
    """
    from torchstone.report.answers import answer
    from torchstone.report.comparing import compare_runs, regressions
    from torchstone.report.sources import read_machines

    machines = read_machines([a, b])
    summary = compare_runs(*machines)
    worse = regressions(summary, percent) if percent is not None else []
    lost = summary.setbacks if percent is not None else ()
    if percent is not None:
        _refuse_empty_answer(summary, percent)
    if as_json:
        names = list(dict.fromkeys([*(one.name for one in worse), *(one.name for one in lost)]))
        _print_json(summary, names, {one.label: answer(one).as_json() for one in machines})
    else:
        _print_tables(summary)
        for one in worse:
            time = "the time an item" if one.amount_a else "the time"
            click.echo(f"regression: {one.name} ({one.how}): {one.ratio:.3f}× {time}", err=True)
        for setback in lost:
            click.echo(f"regression: {setback.words}", err=True)
    context.exit(REGRESSED if worse or lost else 0)


def _refuse_empty_answer(summary: "Summary", percent: float) -> None:
    """A check that compared nothing must not pass; that B broke can be told whatever else cannot."""
    import math

    from torchstone.errors import UserError
    from torchstone.report.comparing import verdict_words

    if math.isnan(percent):
        raise UserError("nan per cent cannot be", "give a number: --fail-on-regression 5")
    if any(one.is_broken for one in summary.setbacks):
        return
    if summary.busy:
        hint = "measure again when it is quiet: torchstone bench --wait-quiet 600"
        raise UserError(f"no regression can be told: {'; '.join(summary.busy)}", hint)
    if summary.is_same_run:
        raise UserError("no regression can be told: both are the same run", "name two runs, as `last~1` and `last`")
    if not any(one.low is not None and one.unit == "s" for one in summary.cases):
        hint = "make both runs of the same cases, dtypes and protocol, and with more samples"
        raise UserError(f"no regression can be told: {verdict_words(summary)}", hint)


def _print_json(summary: "Summary", worse: list[str], answers: dict[str, Any]) -> None:
    import dataclasses

    from torchstone.report.comparing import verdict_words

    content = dataclasses.asdict(summary)
    words, typical = verdict_words(summary), summary.typical_ratio
    print_json("compare", answers=answers, **content, summary=words, typical_ratio=typical, regressions=worse)


def _print_tables(summary: "Summary") -> None:
    from torchstone.report.compare_screen import print_comparison
    from torchstone.report.terminal import console

    print_comparison(console(), summary)
