"""What `bench` shows while it runs: one compact live line on a terminal, plain lines off it."""

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Protocol

from torchstone.records import Finding, Measurement, Setup
from torchstone.report.formatting import format_value
from torchstone.report.terminal import console

_BLOCKS = "▁▂▃▄▅▆▇█"
_SPARK_POINTS = 24


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
    middle = median(record.samples)
    value = f"{middle:.1%}" if record.quantity == "accuracy" else format_value(middle, record.unit)
    status = "" if record.status == "ok" else f" ({record.status}: {record.reason})"
    return f"{record.name} on {record.setup.device}: {record.quantity} {value}{status}"


@contextmanager
def live_view(budget_s: float) -> Iterator[Callable[[Progress], None]]:
    """Gives the function to call with each step."""
    terminal = console(stderr=True)
    if not terminal.is_terminal:
        yield (
            lambda progress: (
                terminal.print(f"[{progress.left_s:4.0f} s left] {record_words(progress.record)}", markup=False)
                if progress.record is not None
                else None
            )
        )
        return
    from rich.live import Live
    from rich.text import Text

    recent: deque[str] = deque(maxlen=3)
    # Drawn only when something happens: a spinner would steal time from what is measured.
    with Live(console=terminal, auto_refresh=False, transient=True) as live:

        def show(progress: Progress) -> None:
            if progress.record is not None:
                sparks = spark_line(progress.record.samples) if isinstance(progress.record, Measurement) else ""
                recent.append(f"  {record_words(progress.record)}  {sparks}")
            where = "" if progress.setup is None else f" · {progress.setup.device}"
            count = f"{progress.done} of {progress.total} · " if progress.total else ""
            head = f"{count}{progress.case}{where} · {progress.note} · {progress.left_s:.0f} s left"
            live.update(Text("\n".join([head, *recent])), refresh=True)

        yield show
