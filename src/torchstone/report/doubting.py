"""Doubts that a run raises by what it lacks: its end, second samples, waiting, and a ratio that hardware can have."""

from collections.abc import Sequence

from torchstone.records import Measurement, Run
from torchstone.report.names import call_of, work_of
from torchstone.report.speedups import Speedup

MOSTLY = 0.5
MOST_TIMES = 1e5
"""A thread against the largest device differs by some ten thousand times: beyond this somebody did no work."""
START = "at the start"
"""The end of the subject of what `bench` sees of the machine before it begins; it looks again when it is through."""


def is_cut_short(run: Run) -> bool:
    """Whether a round of `bench` began that did not come to its end: it was stopped, or is still under way."""
    looks = [one for one in run.findings if one.kind == "machine"]
    return run.command == "bench" and bool(looks) and looks[-1].subject.endswith(START)


def cut_words(run: Run) -> str:
    """What nobody can name, as the run had not begun it, and how it is had; empty of a run that ended."""
    if not is_cut_short(run):
        return ""
    return f"the run did not end: what it had not begun is not named; torchstone bench --continue {run.id}"


def doubts_of(run: Run, rows: Sequence[Speedup]) -> list[str]:
    """Each in words; the gravest first."""
    cut = "it did not end, so that what was not begun is missing" if is_cut_short(run) else ""
    return [part for part in (cut, _unwaited(run), _beyond_hardware(rows), _single_samples(run)) if part]


def is_unwaited(one: Measurement) -> bool:
    """A device returns before its work is done: such a time is no time of the work."""
    return one.setup.sync == "none" and one.setup.device != "cpu"


def _unwaited(run: Run) -> str:
    found = dict.fromkeys(one.setup.device for one in run.measurements if is_unwaited(one))
    return f"nobody waited for {', '.join(found)}: such times do not count" if found else ""


def _beyond_hardware(rows: Sequence[Speedup]) -> str:
    far = [one for one in rows if not 1 / MOST_TIMES < one.ratio < MOST_TIMES]
    if not far:
        return ""
    return f"no hardware differs by more than {MOST_TIMES:,.0f} times, as {work_of(far[0].name).words} does here"


def _single_samples(run: Run) -> str:
    """A step that was timed once: what it took may have been somebody else's."""
    timed = [one for one in run.measurements if one.status == "ok" and one.unit == "s" and call_of(one.name)]
    counts = [len(one.samples) for one in timed if one.samples]
    single = sum(count == 1 for count in counts)
    if not counts or single <= MOSTLY * len(counts):
        return ""
    return f"{single} of {len(counts)} times rest on a single sample"
