"""Which machine or version is faster, case by case, where two runs can be compared."""

from typing import TYPE_CHECKING

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
    help="Exit with 1 where a case of B is slower than A by more than this, beyond doubt.",
)
@json_option
@click.pass_context
def command(context: click.Context, a: str, b: str, percent: float | None, as_json: bool) -> None:
    """Set run B against run A.

    Each is a run file, a URL, or label=path. A ratio below 1 means that B takes less time. Cases are compared where
    torch version, dtype, threads, protocol and sync are the same; otherwise it says which differs.
    """
    from torchstone.report.comparing import compare_runs, regressions
    from torchstone.report.sources import read_machines

    summary = compare_runs(*read_machines([a, b]))
    worse = regressions(summary, percent) if percent is not None else []
    if percent is not None:
        _refuse_empty_answer(summary, percent)
    if as_json:
        _print_json(summary, [one.name for one in worse])
    else:
        _print_tables(summary)
        for one in worse:
            click.echo(f"regression: {one.name} ({one.how}): {one.ratio:.3f}× the time", err=True)
    context.exit(REGRESSED if worse else 0)


def _refuse_empty_answer(summary: "Summary", percent: float) -> None:
    """A check that compared nothing must not pass."""
    import math

    from torchstone.errors import UserError
    from torchstone.report.comparing import summary_words

    if math.isnan(percent):
        raise UserError("nan per cent cannot be", "give a number: --fail-on-regression 5")
    if not any(one.low is not None and one.unit == "s" for one in summary.cases):
        hint = "make both runs with the same torch, dtype, threads and protocol, and with more samples"
        raise UserError(f"no regression can be told: {summary_words(summary)}", hint)


def _print_json(summary: "Summary", worse: list[str]) -> None:
    import dataclasses

    from torchstone.report.comparing import summary_words

    content = dataclasses.asdict(summary)
    words = summary_words(summary)
    print_json("compare", **content, summary=words, typical_ratio=summary.typical_ratio, regressions=worse)


def _print_tables(summary: "Summary") -> None:
    from torchstone.report.compare_screen import print_comparison
    from torchstone.report.terminal import console

    print_comparison(console(), summary)
