"""The process's own peak: the most physical memory it held during a block, everything counted, not tensors alone.

Linux keeps a high-water mark that can be lowered to the present (5 into `clear_refs`, proc(5)). Elsewhere, and where
that is not allowed, the present value is sampled from another thread, and the source says so: a sampled peak can miss
a short one.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread

from torchstone import host

SAMPLE_EVERY_S = 0.002
SAMPLED = f"sampled every {SAMPLE_EVERY_S * 1e3:g} ms"
MARK = "the kernel's high-water mark (VmHWM)"
_RESET_MARK = "5"


@dataclass
class ProcessPeak:
    """Filled when the block is over."""

    before_bytes: int
    peak_bytes: int
    source: str

    @property
    def above_bytes(self) -> int:
        return max(0, self.peak_bytes - self.before_bytes)


@contextmanager
def watch_process(read: Callable[[], int] = host.process_memory_bytes) -> Iterator[ProcessPeak]:
    """The peak of this process within the block."""
    before = read()
    if _lower_mark():
        found = ProcessPeak(before, before, MARK)
        yield found
        found.peak_bytes = max(before, _read_mark() or before)
        return
    found = ProcessPeak(before, before, SAMPLED)
    with sampling(lambda: setattr(found, "peak_bytes", max(found.peak_bytes, read()))):
        yield found


@contextmanager
def sampling(look: Callable[[], None]) -> Iterator[None]:
    """Look from another thread while the block runs, and once more at its end, before anything is freed."""
    done = Event()

    def keep_looking() -> None:
        while not done.wait(SAMPLE_EVERY_S):
            look()

    look()
    watcher = Thread(target=keep_looking, daemon=True)
    watcher.start()
    try:
        yield
        look()
    finally:
        done.set()
        watcher.join()


def _lower_mark() -> bool:
    try:
        (host.ROOT / "proc/self/clear_refs").write_text(_RESET_MARK, encoding="ascii")
    except OSError:
        return False
    return _read_mark() is not None


def _read_mark() -> int | None:
    text = host.read_text(host.ROOT / "proc/self/status") or ""
    line = next((line for line in text.splitlines() if line.startswith("VmHWM:")), None)
    return int(line.split()[1]) * 1024 if line else None
