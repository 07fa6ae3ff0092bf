"""At which batches a device wins, as far as they were measured: no batch between two measured ones is spoken for where
their verdicts differ, and none beyond the last."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from torchstone.records import Finding, Run
from torchstone.report.formatting import format_value
from torchstone.report.holes import KINDS, Hole
from torchstone.report.names import batch_of, work_of
from torchstone.report.standings import Bar

MOST_LINES = 3
"""Models that win at other batches than the rest: named one by one."""
WON, LOST, EQUAL, OPEN = "faster", "slower", "same", "unclear"
OUT_OF_MEMORY = KINDS["out_of_memory"]
NAMED = {EQUAL: "as fast", OPEN: "undecided"}


@dataclass(frozen=True)
class Line:
    """One model's step over the batches that were measured, the smallest first."""

    name: str
    bars: tuple[Bar, ...]
    kinds: dict[int, str]
    """Of each batch: a verdict, or why there is no number."""

    @property
    def batches(self) -> list[int]:
        return sorted(self.kinds)

    @property
    def tried(self) -> list[int]:
        """All but those that the device has no memory for: that says nothing of where it wins."""
        return [batch for batch in self.batches if self.kinds[batch] != OUT_OF_MEMORY]

    def at(self, kind: str) -> list[int]:
        return [batch for batch in self.batches if self.kinds[batch] == kind]

    @property
    def first_won(self) -> int | None:
        """The smallest batch from which on it won at each that was measured."""
        first = None
        for batch in reversed(self.tried):
            if self.kinds[batch] != WON:
                break
            first = batch
        return first

    def where(self, kind: str) -> str:
        """`from batch 8 on`, `up to batch 4`, `at batch 1 and 16`: a range takes two batches at its end."""
        found, every = self.at(kind), self.tried
        if len(found) > 1 and found == every[-len(found) :]:
            return f"from batch {found[0]} on"
        if len(found) > 1 and found == every[: len(found)]:
            return f"up to batch {found[-1]}"
        return f"at batch {listed(found)}"


def listed(batches: Sequence[int]) -> str:
    """`1, 8 and 16`."""
    *first, last = map(str, batches)
    return f"{', '.join(first)} and {last}" if first else last


def lines_of(bars: Iterable[Bar], holes: Sequence[Hole]) -> list[Line]:
    """A line for each model and stage that has a bar; holes are of the same device."""
    groups: dict[tuple[str, str], list[Bar]] = {}
    for bar in bars:
        if bar.batch is not None:
            groups.setdefault((bar.model, bar.stage), []).append(bar)
    found = []
    for (model, stage), group in groups.items():
        empty = {one.batch: one.kind for one in holes if (one.model, one.stage) == (model, stage) and one.batch}
        kinds: dict[int, str] = {**empty, **{bar.batch: bar.verdict for bar in group if bar.batch is not None}}
        kinds |= {batch: kind for batch, kind in empty.items() if kind == "wrong"}
        found.append(Line(f"{model} {stage}", tuple(group), kinds))
    return found


def first_batch(run: Run, device: str, lines: Sequence[Line]) -> int | None:
    """The batch from which on the device wins with every model that has several; also by the search for it."""
    several = _several(lines)
    searched = _searched(run, device)
    if searched is not None:
        lost_above = any(max(line.at(LOST), default=0) >= searched for line in several)
        return None if lost_above else searched
    firsts = [line.first_won for line in several]
    known = [first for first in firsts if first is not None]
    is_once = all(min(line.at(WON), default=None) == line.first_won for line in several)
    return max(known) if known and len(known) == len(firsts) and is_once else None


def _several(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if len(line.tried) > 1]


def _searched(run: Run, device: str) -> int | None:
    """Where the search for it ended: with the batch at which the device won."""
    found = [one for one in run.findings if one.kind == "crossover" and one.facts.get("device") == device]
    batches = [batch for one in found if one.level == "ok" and (batch := _last_batch(one)) is not None]
    return max(batches, default=None)


def _last_batch(finding: Finding) -> int | None:
    batches = [name.removeprefix("batch=") for name in finding.facts if name.startswith("batch=")]
    return int(batches[-1]) if batches and batches[-1].isdigit() else None


def batch_sentence(run: Run, device: str, lines: Sequence[Line]) -> str:
    """What was decided at each batch; models that say the same are told together."""
    several = _several(lines)
    first = first_batch(run, device, lines)
    words: dict[str, list[str]] = {}
    for line in several:
        words.setdefault(_line_words(line, device), []).append(line.name)
    is_searched = first is not None and _searched(run, device) is not None
    if first is not None and first > 1 and (is_searched or len(words) > MOST_LINES):
        how = "where the search from batch 1 upwards ended" if is_searched else f"all of {len(several)} that were tried"
        return f"{device} from batch {first} on ({how}); the CPU below that{_single(device, lines)}."
    if not several:
        return _one_batch(run, lines)
    if all(set(line.kinds.values()) == {LOST} for line in several):
        return f"At no batch up to {max(line.tried[-1] for line in several)} does {device} win."
    is_for_all = len(words) == 1 and len(several) == len(lines)
    said = [one if is_for_all else f"{' and '.join(names)}: {one}" for one, names in words.items()]
    more = f"; {len(said) - MOST_LINES} more: see the page" if len(said) > MOST_LINES else ""
    return f"{'; '.join(said[:MOST_LINES])}{more}{_single(device, lines) if first else ''}."


def _line_words(line: Line, device: str) -> str:
    """`cuda:0 up to batch 8, the CPU from batch 16 on (measured: 1, 8, 16 and 32)`."""
    places = {WON: device, LOST: "the CPU", **NAMED}
    faults = sorted(set(line.kinds.values()) - set(places))
    places |= {kind: f"{kind} on {device}" for kind in faults}
    found = [kind for kind in places if line.at(kind)]
    if len(found) == 1:
        return f"{places[found[0]]} at every batch that was measured ({listed(line.batches)})"
    said = ", ".join(f"{places[kind]} {line.where(kind)}" for kind in found)
    return f"{said} (measured: {listed(line.batches)})"


def _one_batch(run: Run, lines: Sequence[Line]) -> str:
    """Where nobody looked for the batch from which it pays: which one the answer rests on, and how others are had."""
    batches = sorted({batch for line in lines for batch in line.tried})
    if not batches:
        return ""
    one = f"batch {batches[0]} alone" if len(batches) == 1 else f"one batch a model ({listed(batches)})"
    is_own = any(work_of(one.name).batch is None for one in run.measurements if batch_of(one) is not None)
    how = "give another --input, or other inputs" if is_own else "--model zoo:NAME, or more --budget"
    return f"Measured at {one}; others may differ: {how}."


def _single(device: str, lines: Sequence[Line]) -> str:
    """What a single item takes, where the CPU is quicker with it."""
    ones = [bar for line in lines for bar in line.bars if bar.batch == 1]
    single = min(ones, key=lambda bar: bar.times, default=None)
    if single is None or single.times >= 1:
        return ""
    times = f"{format_value(single.cpu_seconds, 's')}, on {device} {format_value(single.seconds, 's')}"
    return f"; one {single.model} item: {times}"


def wins_at(lines: Sequence[Line]) -> str:
    """Where all models that have several batches agree, though not on every larger one; empty otherwise."""
    several = _several(lines)
    found = {line.where(WON) if line.at(WON) else "" for line in several}
    return found.pop() if len(found) == 1 else ""
