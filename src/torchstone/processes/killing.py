"""Why a signal ended a process, as far as it can be told: SIGKILL comes from the system, for want of memory, or from
anybody, and only the kernel's own count of such kills tells which."""

import re
import signal
from pathlib import Path

OWN_GROUP = Path("/proc/self/cgroup")
GROUPS = Path("/sys/fs/cgroup")
MACHINE = Path("/proc/vmstat")
_KILLS = re.compile(r"^oom_kill (\d+)$", re.MULTILINE)
ILLEGAL = ": it ran an instruction that this processor, or its virtual machine, does not grant"
FOR_MEMORY = ": by the system, for want of memory"
BY_ANYBODY = ": by the system for want of memory, or by a person or program"


def count_memory_kills() -> int | None:
    """How often the kernel has killed for want of memory, in our control group or, where that does not tell, on this
    machine; None where nothing tells (macOS)."""
    for table in (_table_of_group(), MACHINE):
        found = _KILLS.search(_read(table)) if table is not None else None
        if found is not None:
            return int(found[1])
    return None


def _table_of_group() -> Path | None:
    """Of the second version of control groups, whose line has no name."""
    found = re.search(r"^0::/(.*)$", _read(OWN_GROUP), re.MULTILINE)
    return None if found is None else GROUPS / found[1] / "memory.events"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def explain_signal(number: int, kills_before: int | None, *, is_ours: bool = False) -> str:
    """In words; `kills_before` is what `count_memory_kills` said when the process began. A kill of ours has no other
    cause."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"killed by signal {number}"
    return f"killed by {name}{'' if is_ours else _cause(name, kills_before)}"


def _cause(name: str, kills_before: int | None) -> str:
    if name == "SIGILL":
        return ILLEGAL
    if name != "SIGKILL":
        return ""
    kills = count_memory_kills()
    return FOR_MEMORY if kills is not None and kills_before is not None and kills > kills_before else BY_ANYBODY
