"""The lean mark: how many ops, how much memory, how many waits for the device. Counted, never timed."""

from collections import Counter
from typing import Any

from torchstone.learn.grading.answers import guard, raw
from torchstone.learn.grading.checks import Failed, note, place_at
from torchstone.learn.grading.watching import Seen, watch
from torchstone.learn.verdicts import Failure, Place

KIB = 1024
LOOP = "A Python loop pays for each element; one operation over the whole tensor does the same work in one call."
WAIT = "Reading a value makes the host wait for everything before it: keep it on the device and read once, at the end."


BACK = "Numbers that are read back, one by one or all at once, make the device wait and leave the work to the host."
LINES_SLACK = 2
"""Lines that may differ between two sizes: a branch that one of them takes."""
READS_SLACK = 1


def watch_call(function: Any, *args: Any, count_lines: bool = False, **kwargs: Any) -> Seen:
    """What one call of the learner's function does."""
    with watch(count_lines) as seen:
        result = raw(function)(*args, **kwargs)
    del result
    return seen


def expect_same_ops(
    function: Any,
    small: tuple[Any, ...],
    large: tuple[Any, ...],
    *,
    at_most: int | None = None,
    count_lines: bool = True,
    teach: str | None = None,
) -> None:
    """As many ops for the `large` arguments as for the `small` ones; `at_most` is a limit on both.

    Nor may the lines of Python that run grow, nor the numbers that the host reads: a loop over `.tolist()` or in NumPy
    dispatches nothing, and is one all the same. `count_lines=False` where the arguments are Python lists themselves.
    """
    name = guard(function).__name__
    before = watch_call(function, *small, count_lines=count_lines)
    after = watch_call(function, *large, count_lines=count_lines)
    few, many = before.ops.total(), after.ops.total()
    if many > few:
        grown = after.lines - before.lines
        message = f"{name} runs {few} ops on the smaller input and {many} on the larger: {_busiest(grown)}"
        raise Failed(Failure(message=message, place=_line(grown), teach=teach or LOOP))
    if count_lines:
        _expect_same_lines(name, before, after, teach)
    _expect_same_reads(name, before, after)
    if at_most is not None and many > at_most:
        message = f"{name} runs {many} ops, and {at_most} are enough: {_list_ops(after.ops)}"
        raise Failed(Failure(message=message, teach=teach))
    note(f"{many} ops at every size")


def _expect_same_lines(name: str, before: Seen, after: Seen, teach: str | None) -> None:
    few, many = before.python.total(), after.python.total()
    if many <= few + LINES_SLACK:
        return
    line = (after.python - before.python).most_common(1)[0][0]
    message = f"{name} runs {few} lines of Python on the smaller input and {many} on the larger: it is a loop"
    raise Failed(Failure(message=message, place=place_at(line), teach=teach or LOOP))


def _expect_same_reads(name: str, before: Seen, after: Seen) -> None:
    few, many = (sum(count for _, count, _ in seen.reads) for seen in (before, after))
    if many <= few + READS_SLACK:
        return
    how, _, line = max(after.reads, key=lambda read: read[1])
    message = f"{name} reads {few} numbers back to the host on the smaller input and {many} on the larger, by {how}"
    raise Failed(Failure(message=message, place=place_at(line) if line else None, teach=BACK))


def expect_peak_memory(
    function: Any, *args: Any, at_most_bytes: float, compared_with: str = "the budget", teach: str | None = None
) -> None:
    """What the call makes and holds at one time, its result included, must fit.

    Only storages that ops return are seen, alike on every device; scratch memory inside one kernel is not.
    """
    seen = watch_call(function, *args)
    name = guard(function).__name__
    if seen.peak_bytes > at_most_bytes:
        message = (
            f"{name} holds {format_bytes(seen.peak_bytes)} at its peak; "
            f"{compared_with} is {format_bytes(at_most_bytes)}"
        )
        raise Failed(Failure(message=message, teach=teach))
    note(f"{format_bytes(seen.peak_bytes)} at its peak, {format_bytes(at_most_bytes)} allowed")


def expect_no_waits(function: Any, *args: Any, at_most: int = 0, teach: str | None = None) -> None:
    """The call must not make the host wait for the device (`.item()`, `.tolist()`, `if tensor:`, boolean indexing)."""
    seen = watch_call(function, *args)
    if len(seen.waits) > at_most:
        what, place = seen.waits[at_most]
        times = f"{len(seen.waits)} times; {at_most} allowed" if at_most else f"{len(seen.waits)} times"
        message = f"{guard(function).__name__} makes the host wait for the device {times}, through {what}"
        raise Failed(Failure(message=message, place=place, teach=teach or WAIT))
    note(f"{len(seen.waits)} waits for the device")


def format_bytes(size: float) -> str:
    """`1.5 MiB`."""
    for unit in ("bytes", "KiB", "MiB"):
        if size < KIB:
            return f"{size:.3g} {unit}"
        size /= KIB
    return f"{size:.3g} GiB"


def _busiest(grown: Counter[tuple[str, int]]) -> str:
    (name, _), times = grown.most_common(1)[0]
    return f"{name.strip('_')} alone runs {times} times more"


def _line(grown: Counter[tuple[str, int]]) -> Place | None:
    line = grown.most_common(1)[0][0][1]
    return place_at(line) if line else None


def _list_ops(ops: Counter[str]) -> str:
    return ", ".join(f"{times}× {name.strip('_')}" for name, times in ops.most_common(5))
