"""Do processes wait for each other in vain? Told by what the kernel knows of their threads, and by no clock.

On a busy machine ranks that are through in 50 ms can take many seconds, and that is no hang. A hang is this: none of
their threads can run, and none of their main threads has run since the last look, for many looks in a row.
"""

from collections.abc import Iterable
from pathlib import Path

LOOK_S = 0.05
LOOKS = 24
"""In a row; a main thread that works, or waits for its turn of the processor, is found out by one of them."""
PROC = Path("/proc")


class StallWatch:
    """Looks at processes again and again."""

    def __init__(self) -> None:
        self._before: list[int | None] = []
        self._alike = 0

    def look(self, processes: Iterable[int]) -> bool:
        """Whether all of these have slept through the last looks."""
        now = [_times_run(process) for process in processes]
        self._alike = self._alike + 1 if now == self._before and None not in now else 0
        self._before = now
        return self._alike >= LOOKS


def _times_run(process: int) -> int | None:
    """How often the main thread of a process was put to sleep; None where one of its threads can run."""
    facts = [_facts_of(thread) for thread in (PROC / str(process) / "task").glob("*/status")]
    if any(one.get("State", "").startswith("R") for one in facts):
        return None
    switches = ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
    return sum(int(one.get(key, 0)) for one in facts if one.get("Pid") == str(process) for key in switches)


def _facts_of(status: Path) -> dict[str, str]:
    try:
        lines = status.read_text().splitlines()
    except OSError:
        return {}  # the thread has ended since
    return {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
