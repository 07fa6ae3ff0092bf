"""What `bench` shows while it runs: on a terminal a bar, a clock and what is being measured; off it few plain lines.

It is drawn when something happens or a moment has passed, between samples: a spinner of its own would steal time from
what is measured. Off a terminal there is a line for every experiment and device when all is over, with what was skipped
counted, and a sign of life each minute; `verbose` gives a line a record instead.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Protocol

from torchstone.records import IN_DOUBT, Finding, Measurement, Setup
from torchstone.report.formatting import format_rate, format_times, format_value
from torchstone.report.names import describe_setup, is_plain, work_of
from torchstone.report.shares import accuracy_words, is_share
from torchstone.report.terminal import console

if TYPE_CHECKING:
    from rich.console import Console

_BLOCKS = "▁▂▃▄▅▆▇█"
_SPARK_POINTS = 12
_BAR_WIDTH = 26
_RECENT = 4
SIGN_OF_LIFE_S = 60.0
MOST_WORDS = 3
"""Results named in a line off a terminal."""


class Progress(Protocol):
    """Where a run stands; `torchstone.scheduling.Progress` is one."""

    @property
    def case(self) -> str: ...
    @property
    def setup(self) -> Setup | None: ...
    @property
    def note(self) -> str: ...
    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def left_s(self) -> float: ...
    @property
    def record(self) -> Measurement | Finding | None: ...


def spark_line(samples: tuple[float, ...]) -> str:
    """The last samples as little bars, from their own lowest to their own highest."""
    tail = samples[-_SPARK_POINTS:]
    if len(tail) < 2:
        return ""
    low, high = min(tail), max(tail)
    span = (high - low) or 1.0
    return "".join(_BLOCKS[min(int((one - low) / span * len(_BLOCKS)), len(_BLOCKS) - 1)] for one in tail)


def record_words(record: Measurement | Finding) -> str:
    """A record in a line."""
    if isinstance(record, Finding):
        return f"{record.subject}: {record.verdict}"
    if not record.samples:
        return f"{record.name} on {record.setup.device}: {record.status}, {record.reason}"
    status = "" if record.status == "ok" else f" ({record.status}: {record.reason})"
    return f"{record.name} on {record.setup.device}: {record.quantity} {_value_words(record)}{status}"


def _value_words(one: Measurement) -> str:
    if is_share(one):
        return accuracy_words(one, one.samples[-1])
    return format_value(median(one.samples), one.unit)


@dataclass
class LiveLines:
    """What stands on the terminal."""

    budget_s: float
    recent: deque[str] = field(default_factory=lambda: deque(maxlen=_RECENT))
    _plain_s: dict[str, float] = field(default_factory=dict)
    """The plain CPU's median by contest, for the others of it."""

    def show(self, progress: Progress) -> list[str]:
        """The lines after this step: the bar, the newest results, and what is at work."""
        if isinstance(progress.record, Measurement) and progress.record.samples:
            self.recent.append(self._result(progress.record))
        elif progress.record is not None:
            self.recent.append(f"    {record_words(progress.record)}")
        setup = f", {describe_setup(progress.setup)}" if progress.setup is not None else ""
        note = f"    {progress.note}" if progress.note else ""
        return [self._head(progress), *self.recent, f"    {work_of(progress.case).words}{setup}{note} …"]

    def _head(self, progress: Progress) -> str:
        share = 1.0 - progress.left_s / self.budget_s if self.budget_s else 1.0
        full = round(min(max(share, 0.0), 1.0) * _BAR_WIDTH)
        device = f" · {progress.setup.device}" if progress.setup is not None else ""
        count = f"{progress.done} of {progress.total} cases · " if progress.total else ""
        where = f"{progress.case.split('/')[0]}{device}"
        left = f"{clock_words(max(0.0, progress.left_s))} left"
        return f"  {'█' * full}{'░' * (_BAR_WIDTH - full)}  {where:24} {count}{left}"

    def _result(self, one: Measurement) -> str:
        middle = median(one.samples)
        if is_plain(one.setup) and one.setup.device == "cpu":
            self._plain_s.setdefault(one.name, middle)
        plain = self._plain_s.get(one.name)
        is_other = one.unit == "s" and plain is not None and middle > 0 and not is_plain_cpu(one.setup)
        times = f"  {format_times(plain / middle)} the plain CPU" if is_other and plain is not None else ""
        what = f"{work_of(one.name).words}, {describe_setup(one.setup)}"
        return f"    {what:52} {_value_words(one):>10}  {spark_line(one.samples):{_SPARK_POINTS}}{times}"


def is_plain_cpu(setup: Setup) -> bool:
    return setup.device == "cpu" and is_plain(setup)


def clock_words(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


@dataclass
class QuietLines:
    """What is printed off a terminal: gathered by experiment and device."""

    print_line: Callable[[str], None]
    budget_s: float
    now: Callable[[], float] = time.monotonic
    _groups: dict[tuple[str, str], dict[tuple[str, Setup, str, str | None], Measurement]] = field(default_factory=dict)
    """Of a case that has another turn, the newest record."""
    _ended: dict[tuple[str, str], float] = field(default_factory=dict)
    _began: float = 0.0
    _last: float = 0.0

    def __post_init__(self) -> None:
        self._began = self._last = self.now()
        self.print_line(f"measuring for {clock_words(self.budget_s)}; --verbose shows every record")

    def show(self, progress: Progress) -> None:
        now = self.now()
        if isinstance(progress.record, Measurement):
            one = progress.record
            key = (one.name.split("/")[0], one.setup.device)
            self._groups.setdefault(key, {})[one.name, one.setup, one.quantity, one.contest] = one
            self._ended[key] = now
        if now - self._last >= SIGN_OF_LIFE_S:
            self._last = now
            count = f"{progress.done} of {progress.total} cases · " if progress.total else ""
            self.print_line(f"{clock_words(now - self._began)}  {count}{progress.case}")

    def finish(self) -> None:
        for key in sorted(self._groups, key=self._ended.__getitem__):
            elapsed = clock_words(self._ended[key] - self._began)
            self.print_line(f"{elapsed}  {key[0]:12} {key[1]:8} {group_words(list(self._groups[key].values()))}")


def group_words(group: list[Measurement]) -> str:
    """The results of one experiment on one device, with what has none counted; what gives no figure is named."""
    results: dict[str, str] = {}
    for one in group:
        is_result = one.status == "ok" and one.samples and one.quantity in ("time", "accuracy", "latency", "peak")
        if is_result and not _is_yardstick(one):
            results.setdefault(work_of(one.name).words, _result_words(one))
    if not results:
        results = {work_of(one.name).words: "checked" for one in group if one.status == "ok"}
    shown = [f"{what} {result}" for what, result in list(results.items())[:MOST_WORDS]]
    more = f" and {len(results) - MOST_WORDS} more" if len(results) > MOST_WORDS else ""
    counts = Counter(one.status for one in group if one.status != "ok")
    lost = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in counts.most_common())
    return "   ".join(part for part in (", ".join(shown) + more, lost) if part)


def _is_yardstick(one: Measurement) -> bool:
    """The plain run in a contest of `tune` that is called by another engine: its speed is not that engine's."""
    return one.name.startswith("tune/") and is_plain(one.setup) and not one.name.endswith(f"/{one.setup.engine}")


def _result_words(one: Measurement) -> str:
    items, middle = one.facts.get("items"), median(one.samples)
    if is_share(one):
        return f"{accuracy_words(one, one.samples[-1])} right"
    is_timed = one.quantity == "time" and one.unit == "s" and middle > 0
    if is_timed and isinstance(items, int | float) and not isinstance(items, bool):
        return format_rate(float(items), str(one.facts.get("item") or "items"), middle)
    return f"{'at least ' if IN_DOUBT in one.facts else ''}{format_value(middle, one.unit)}"


@contextmanager
def live_view(budget_s: float, verbose: bool = False) -> Iterator[Callable[[Progress], None]]:
    """Gives the function to call with each step."""
    terminal = console(stderr=True)
    if verbose:
        yield lambda progress: _print_record(terminal, progress)
    elif not terminal.is_terminal:
        quiet = QuietLines(lambda line: terminal.print(line, markup=False), budget_s)
        try:
            yield quiet.show
        finally:
            quiet.finish()
    else:
        yield from _on_a_terminal(terminal, budget_s)


def _on_a_terminal(terminal: "Console", budget_s: float) -> Iterator[Callable[[Progress], None]]:
    from rich.live import Live
    from rich.text import Text

    lines = LiveLines(budget_s)
    with Live(Text("  starting …"), console=terminal, auto_refresh=False, transient=True) as live:
        live.refresh()

        def show(progress: Progress) -> None:
            cut = [line[: terminal.width - 1] for line in lines.show(progress)]
            live.update(Text("\n".join(cut)), refresh=True)

        yield show


def _print_record(terminal: "Console", progress: Progress) -> None:
    if progress.record is not None:
        terminal.print(f"[{progress.left_s:4.0f} s left] {record_words(progress.record)}", markup=False)
