"""Energy: joules a call above idle, read from a hardware counter and never estimated from a data sheet."""

from torchstone.report.cases import Row
from torchstone.report.names import work_of
from torchstone.report.sections import Shown, View

TITLE = "Energy"
ORDER = 90
MOST_SENTENCES = 4


def show(view: View) -> Shown | None:
    rows = [row for one in view.experiments for row in one.rows if row.measurement.quantity == "energy"]
    known = [row for row in rows if row.middle is not None and row.measurement.status == "ok"]
    if known:
        sources = ", ".join(sorted({str(row.measurement.facts.get("source") or "unnamed") for row in known})[:4])
        return Shown([*map(_words, known[:MOST_SENTENCES]), f"Source: {sources}."])
    reasons = dict.fromkeys(row.measurement.reason or "unavailable" for row in rows)
    return Shown([f"Not measured: {'; '.join(list(reasons)[:MOST_SENTENCES])}."]) if rows else None


def _words(row: Row) -> str:
    work = work_of(row.measurement.name.removesuffix("/energy"))
    return f"{work.words} on {row.place}: {row.value_words} a call above idle."
