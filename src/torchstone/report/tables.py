"""Tables of a page: what each cell says, what it sorts by, and which raw samples stand behind its number.

Samples are kept once, in a book that the page carries as JSON and shows on a click. Of many, evenly spaced ones in the
order measured are kept, and the page says so.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from torchstone.report.cases import Row, is_believable, reference_of
from torchstone.report.charts.curves import tail_of
from torchstone.report.charts.ratios import FASTER, SLOWER, side_of
from torchstone.report.formatting import format_times, format_value, scalar_words
from torchstone.report.names import describe_setup, is_unverified
from torchstone.report.shares import ACCURACY, is_share

MOST_SAMPLES_SHOWN = 200
MOST_SAMPLES_IN_ALL = 60_000
MOST_PLACES = 8
"""Columns of a table of several machines."""
DIGITS = 6


@dataclass(frozen=True)
class Cell:
    """One cell: its words, what it sorts by, and the samples or the style behind it."""

    text: str
    sort: float | str = ""
    samples: int | None = None
    style: str = ""
    note: str = ""


@dataclass(frozen=True)
class Table:
    slug: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    statuses: tuple[str, ...] = ()


@dataclass
class SampleBook:
    """The raw samples of the page, by number."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    left: int = MOST_SAMPLES_IN_ALL

    def add(self, row: Row) -> int:
        """Keep what a click shows; gives its number."""
        one = row.measurement
        most = max(0, min(MOST_SAMPLES_SHOWN, self.left))
        step = max(1, math.ceil(len(one.samples) / most)) if most else 0
        samples = one.samples[::step] if step else ()
        self.left -= len(samples)
        self.entries.append(
            {
                "name": one.name,
                "how": f"{row.machine} · {row.how}" if row.machine else row.how,
                "unit": one.unit,
                "quantity": one.quantity,
                "count": len(one.samples),
                "samples": [_rounded(sample) for sample in samples],
                "facts": _fact_pairs(row),
            }
        )
        return len(self.entries) - 1


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _fact_pairs(row: Row) -> list[list[str]]:
    """What else the record says, for the same click."""
    one = row.measurement
    pairs = [("protocol", one.protocol), ("sync", one.setup.sync), ("dtype", one.setup.dtype or "not stated")]
    if one.setup.threads is not None:
        pairs.append(("threads", str(one.setup.threads)))
    if one.first_call_s is not None:
        pairs.append(("first call", format_value(one.first_call_s, "s")))
    if one.compile_s is not None:
        pairs.append(("of it compiling", format_value(one.compile_s, "s")))
    for way, samples in one.audit.items():
        pairs.append((f"sync audit, {way}"[:60], _audit_words(samples)))
    pairs += [(name, scalar_words(value)) for name, value in one.facts.items()]
    return [[name, words] for name, words in pairs]


def _audit_words(samples: Sequence[float]) -> str:
    ordered = sorted(samples)
    return f"median {format_value(ordered[len(ordered) // 2], 's')}" if ordered else "none"


def long_table(slug: str, rows: Sequence[Row], book: SampleBook) -> Table | None:
    """One row a record, with what may be said of it."""
    if not rows:
        return None
    quantities = {row.measurement.quantity for row in rows}
    headings = ["What", "How", "Median", "95 % interval", *(["Quantity"] if len(quantities) > 1 else [])]
    headings += [*_optional_headings(rows), "Status"]
    compared = {_comparison(row) for row in rows if row.speedup}
    found = tuple(
        tuple(_long_cells(row, headings, _speedup_cell(row, _comparison(row) in compared), book)) for row in rows
    )
    return Table(slug, tuple(headings), found, _statuses(rows))


def _optional_headings(rows: Sequence[Row]) -> list[str]:
    wanted = {
        "Tail": any(row.measurement.quantity == "latency" for row in rows),
        "Rate": any(row.rate_words for row in rows),
        _against(rows): any(row.speedup for row in rows),
    }
    return [heading for heading, needed in wanted.items() if needed]


def _against(rows: Sequence[Row]) -> str:
    return f"Against {reference_of(rows)}"


def _long_cells(row: Row, headings: Sequence[str], against: Cell, book: SampleBook) -> list[Cell]:
    makers: dict[str, Callable[[], Cell]] = {
        "What": lambda: Cell(row.what, row.what),
        "How": lambda: Cell(row.how, row.how),
        "Quantity": lambda: Cell(row.measurement.quantity, row.measurement.quantity),
        "Median": lambda: _number_cell(row, book),
        "95 % interval": lambda: Cell(row.interval_words or _too_few(row), row.low if row.low is not None else ""),
        "Tail": lambda: _tail_cell(row),
        "Rate": lambda: Cell(row.rate_words, row.rate or "") if row.rate_words else Cell(""),
        "Status": lambda: _status_cell(row),
    }
    return [makers.get(heading, lambda: against)() for heading in headings]


def _number_cell(row: Row, book: SampleBook) -> Cell:
    if row.middle is None:
        return Cell("–")
    note = "after the last epoch" if row.measurement.quantity == ACCURACY else ""
    return Cell(row.value_words, row.middle, book.add(row), note=note)


def _too_few(row: Row) -> str:
    return "too few samples" if row.middle is not None and not is_share(row.measurement) else ""


def _tail_cell(row: Row) -> Cell:
    if row.measurement.quantity != "latency" or row.middle is None:
        return Cell("")
    tail = tail_of(row.measurement)
    return Cell(f"{tail[0]} {format_value(tail[1], 's')}", tail[1]) if tail else Cell("too few samples")


def _comparison(row: Row) -> tuple[str, str, str, str]:
    """What rows have in common that were set against one another."""
    return row.machine, row.measurement.name, row.measurement.quantity, row.measurement.protocol


def _speedup_cell(row: Row, is_in_comparison: bool) -> Cell:
    """Its ratio; or that it is what the others were set against, which is said only where there are others."""
    if row.speedup is None:
        return Cell("1×, the baseline", 1.0) if is_in_comparison and is_believable(row) else Cell("")
    side = side_of(row)
    mark, style = {FASTER: ("▲", "faster"), SLOWER: ("▼", "slower")}.get(side, ("≈", "unclear"))
    found = row.speedup
    with_interval = found.low is not None and found.high is not None
    note = f"95 %: {format_times(found.low or 0)} – {format_times(found.high or 0)}" if with_interval else ""
    return Cell(f"{mark} {format_times(found.ratio)}", found.ratio, style=style, note=note)


def _status_cell(row: Row) -> Cell:
    one = row.measurement
    if is_unverified(one):
        return Cell("unverified", "unverified", style="status-other", note=str(one.facts["unverified"]))
    return Cell(one.status.replace("_", " "), one.status, style=f"status-{one.status}", note=one.reason or "")


def _statuses(rows: Sequence[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_status_cell(row).text for row in rows))


def wide_table(slug: str, rows: Sequence[Row], book: SampleBook) -> Table | None:
    """Machines as columns: one row a case and a setup, one column a machine and device."""
    if not rows:
        return None
    places = list(dict.fromkeys(row.place for row in rows))[:MOST_PLACES]
    cases: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in rows:
        by_place = cases.setdefault((row.what, _how_anywhere(row), row.measurement.quantity), {})
        if row.middle is not None or row.place not in by_place:
            by_place[row.place] = row
    found = tuple(
        (Cell(what, what), Cell(how, how), Cell(quantity, quantity), *_place_cells(by_place, places, book))
        for (what, how, quantity), by_place in cases.items()
    )
    return Table(slug, ("What", "How", "Quantity", *places), found)


def _how_anywhere(row: Row) -> str:
    """The setup without its device, which is the column, and its threads, which a click shows."""
    setup = msgspec.structs.replace(row.measurement.setup, threads=None)
    return describe_setup(setup).partition(", ")[2] or "plain"


def _place_cells(by_place: dict[str, Row], places: Sequence[str], book: SampleBook) -> list[Cell]:
    best = _winner([row for row in by_place.values() if row.middle is not None and _ranks(row)])
    return [_place_cell(by_place.get(place), best, book) for place in places]


def _winner(rows: Sequence[Row]) -> Row | None:
    """The fastest, where its whole interval lies below every other's."""
    ranked = sorted(rows, key=lambda row: row.middle or 0.0)
    if len(ranked) < 2 or ranked[0].high is None:
        return None
    clear = all(row.low is not None and row.low > ranked[0].high for row in ranked[1:])
    return ranked[0] if clear else None


def _ranks(row: Row) -> bool:
    return row.measurement.unit == "s" and row.measurement.status == "ok"


def _place_cell(row: Row | None, best: Row | None, book: SampleBook) -> Cell:
    if row is None:
        return Cell("")
    if row.middle is None:
        return Cell(
            row.measurement.status.replace("_", " "), "", style="status-other", note=row.measurement.reason or ""
        )
    return Cell(row.value_words, row.middle, book.add(row), "best" if row is best else "", _beside(row))


def _beside(row: Row) -> str:
    if row.measurement.status != "ok":
        return f"{row.measurement.status}: {row.measurement.reason}"
    return f"{format_times(row.speedup.ratio)} the speed of {reference_of([row])}" if row.speedup else ""


def energy_table(rows: Sequence[Row], book: SampleBook) -> Table:
    found = tuple(
        (
            Cell(row.what, row.what),
            Cell(f"{row.machine} · {row.how}" if row.machine else row.how, row.how),
            _number_cell(row, book),
            Cell(str(row.measurement.facts.get("source") or row.measurement.reason or "unavailable")),
            Cell(_watts(row)),
        )
        for row in rows
    )
    return Table("energy", ("What", "How", "Energy a call, above idle", "Source", "Idle"), found)


def _watts(row: Row) -> str:
    idle = row.measurement.facts.get("idle_watts")
    return format_value(idle, "W") if isinstance(idle, float | int) else ""
