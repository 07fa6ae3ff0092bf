"""One screen after `bench`: the devices, what is faster and slower than the plain CPU, and what went wrong."""

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from torchstone.records import Device, Measurement, Run
from torchstone.report.cases import PREDICTION_KIND, is_step
from torchstone.report.fastest import fastest_sentences
from torchstone.report.formatting import format_rate, format_times
from torchstone.report.speedups import Speedup, baseline_words, describe_setup, speedups
from torchstone.report.terminal import format_seconds

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

ROWS = 14
"""Rows of a table at most: the screen is for a first look, the run file has everything."""
SHOWN_PROBLEMS = 8
SHOWN_FASTEST = 3
_QUIET = ("ok", "skipped")


def print_screen(screen: "Console", run: Run, url: str) -> None:
    """The whole summary."""
    from rich.text import Text

    for device in run.devices:
        screen.print(Text(device.id, style="bold").append(f"  {device_words(device)}", style="default"))
    measured = [one for one in run.measurements if one.status == "ok" and one.unit == "s" and one.samples]
    plain = [one for one in measured if one.setup.engine == "eager"]
    if plain:
        screen.print(_rates_table(plain))
    found = speedups(run.measurements)
    if found:
        screen.print(_speedups_table(found))
    for sentence in fastest_sentences(run.findings, run.measurements, SHOWN_FASTEST):
        screen.print(sentence, markup=False)
    _print_problems(screen, run)
    screen.print(f"Kept in {url}", soft_wrap=True, markup=False)
    screen.print(f"The page: torchstone report {url} --open", soft_wrap=True, markup=False)


def device_words(device: Device) -> str:
    """Vendor and name, where the name does not say the vendor already."""
    return device.name if device.name.startswith(device.vendor) else f"{device.vendor} {device.name}"


def _rates_table(rows: list[Measurement]) -> "RenderableType":
    from rich.table import Table

    table = Table(title="Measured, plain", title_justify="left")
    for heading in ("what", "how", "median", "rate"):
        table.add_column(heading, overflow="fold")
    for one in _spread_over_experiments(rows):
        table.add_row(one.name, describe_setup(one.setup), format_seconds(median(one.samples)), _rate(one))
    return table


def _spread_over_experiments(rows: list[Measurement]) -> list[Measurement]:
    """A few of every experiment, rather than many of the first."""
    by_experiment: dict[str, list[Measurement]] = {}
    for row in rows:
        by_experiment.setdefault(row.name.split("/")[0], []).append(row)
    share = max(1, ROWS // max(1, len(by_experiment)))
    return [row for group in by_experiment.values() for row in group[:share]]


def _rate(one: Measurement) -> str:
    items, item = one.facts.get("items"), one.facts.get("item")
    own = one.facts.get("rate")
    if isinstance(own, float) and item:
        return format_rate(own, str(item), 1.0)
    if one.quantity != "time" or not isinstance(items, int | float) or not item:
        return ""
    return format_rate(items, str(item), median(one.samples))


def _speedups_table(found: list[Speedup]) -> "RenderableType":
    from rich.table import Table
    from rich.text import Text

    against = baseline_words(one.setup for one in found)
    table = Table(title=f"Times as fast as {against} (eager float32 on the CPU, most threads)", title_justify="left")
    for heading in ("what", "how", "times as fast", "95 %"):
        table.add_column(heading, overflow="fold")
    ranked = sorted(found, key=lambda one: one.ratio, reverse=True)
    shown = ranked if len(ranked) <= ROWS else [*ranked[: ROWS // 2], *ranked[-ROWS // 2 :]]
    for one in shown:
        if one.low is None or one.high is None:
            style, span = "dim", "too few samples"
        else:
            style = "green" if one.low > 1 else "red" if one.high < 1 else "dim"
            span = f"{format_times(one.low)}–{format_times(one.high)}"
        table.add_row(one.name, describe_setup(one.setup), Text(format_times(one.ratio), style=style), span)
    return table


def _print_problems(screen: "Console", run: Run) -> None:
    problems = [one for one in run.measurements if one.status not in _QUIET]
    counts = Counter(one.status for one in run.measurements)
    screen.print("Records: " + ", ".join(f"{count} {status}" for status, count in counts.most_common()))
    fine = Counter(one.kind for one in run.findings if one.level == "ok" and one.kind != PREDICTION_KIND)
    if fine:
        screen.print("Looked at and fine: " + ", ".join(f"{count} {kind}" for kind, count in fine.most_common()))
    for one in problems[:SHOWN_PROBLEMS]:
        screen.print(f"  {one.status}: {one.name} on {one.setup.device}: {one.reason}", markup=False)
    if len(problems) > SHOWN_PROBLEMS:
        screen.print(f"  … and {len(problems) - SHOWN_PROBLEMS} more in the run file")
    for finding in run.findings:
        if finding.level != "ok" and finding.kind != PREDICTION_KIND and not is_step(finding):
            screen.print(f"  {finding.verdict}: {finding.subject}: {finding.evidence}", markup=False)
