"""Tables and findings for the terminal; colours only where it is one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from torchstone.records import Device, Fact, Finding

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
_TICK_S = 0.5


def console(stderr: bool = False, plain_width: int = 160) -> "Console":
    """Rich decides by itself whether the stream is a terminal; off one it prints plain text, not folded at 80."""
    from rich.console import Console

    class Screen(Console):
        """Leaves a reader that has seen enough to the program, where rich would end it with 1."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    # Device names, paths and errors may hold brackets and colons: nothing in them is markup.
    terminal = Screen(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not terminal.is_terminal:
        terminal.width = plain_width
    return terminal


def format_bytes(count: int | float | None) -> str:
    """A size with the largest unit that keeps it above one."""
    if count is None:
        return "unknown"
    size = float(count)
    for unit in _UNITS[:-1]:
        if abs(size) < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} {_UNITS[-1]}"


def format_seconds(seconds: float) -> str:
    """A time in the unit that people would say it in."""
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def devices_table(devices: Sequence[Device], dtypes: dict[str, dict[str, Fact]]) -> "RenderableType":
    """The devices with what each is and which dtypes it computes in."""
    from rich.table import Table

    table = Table(title="Devices", title_justify="left")
    for heading in ("device", "vendor", "name", "memory", "shared with the CPU", "dtypes it computes in"):
        table.add_column(heading, overflow="fold")
    for device in devices:
        unified = {True: "yes", False: "no", None: "unknown"}[device.unified_memory]
        memory = format_bytes(device.memory_bytes)
        table.add_row(device.id, device.vendor, device.name, memory, unified, _dtype_words(dtypes.get(device.id, {})))
    return table


def _dtype_words(facts: dict[str, Fact]) -> str:
    computes = [name for name, fact in facts.items() if fact.value == "computes"]
    falls_back = [name for name, fact in facts.items() if fact.value not in ("computes", None)]
    refused = [name for name, fact in facts.items() if fact.value is None]
    words = [", ".join(computes)] if computes else []
    if falls_back:
        words.append(f"on the CPU instead: {', '.join(falls_back)}")
    if refused:
        words.append(f"not: {', '.join(refused)}")
    return "; ".join(words) or "not probed"


def absences_table(findings: Sequence[Finding]) -> "RenderableType":
    """The kinds of device that are not here, why, and what to do."""
    from rich.table import Table

    table = Table(title="Not here", title_justify="left")
    for heading in ("kind", "why", "what to do"):
        table.add_column(heading, overflow="fold")
    for finding in findings:
        table.add_row(finding.subject, finding.evidence, finding.hint or "")
    return table


def print_findings(terminal: "Console", title: str, findings: Sequence[Finding]) -> None:
    """One line a finding and one for its hint."""
    from rich.text import Text

    terminal.print(Text(title, style="bold"))
    for finding in findings:
        good = finding.level == "ok"
        mark = Text("  ok    " if good else "  warn  ", style="green" if good else "yellow")
        terminal.print(mark.append(f"{finding.subject}: {finding.evidence}", style="default"))
        if finding.hint and not good:
            terminal.print(Text(f"        hint: {finding.hint}", style="dim"))


@contextmanager
def timed_progress(what: str, seconds: float) -> Iterator[None]:
    """A bar with the time left for work whose length is its budget; off a terminal, one plain line."""
    terminal = console(stderr=True)
    if not terminal.is_terminal:
        terminal.print(f"{what} (about {seconds:.0f} s)")
        yield
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    # Refreshed seldom: the bar must not disturb what is being measured.
    with Progress(*columns, console=terminal, transient=True, refresh_per_second=2) as progress:
        task = progress.add_task(what, total=seconds)
        done = Event()
        start = monotonic()

        def tick() -> None:
            while not done.wait(_TICK_S):
                progress.update(task, completed=min(monotonic() - start, seconds * 0.99))

        ticker = Thread(target=tick, daemon=True)
        ticker.start()
        try:
            yield
        finally:
            done.set()
            ticker.join()
