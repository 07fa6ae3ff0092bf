"""What the atlas of operators found, read from a run: its cells, which come first, and the rows of its table."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from torchstone.records import Finding, Level, Scalar

KIND = "ops"
LEVELS: dict[str, Level] = {
    "ok": "ok",
    "wrong": "problem",
    "crash": "problem",
    "hang": "problem",
    "flaky": "problem",
    "unsupported": "warning",
    "dtype": "warning",
    "falls_back": "warning",
    "skipped": "note",
}
WORST_FIRST = ("crash", "hang", "wrong", "flaky", "unsupported", "dtype", "falls_back", "skipped", "ok", "unknown")
EITHER = "either"
"""The direction of a case whose process was lost: backward where its forward verdict was already kept."""


class OpCell(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one operator in one dtype and direction on a device: what `--json` gives."""

    op: str
    variant: str
    dtype: str
    direction: str
    verdict: str
    tier: str
    reason: str
    name: str = ""
    level: str = "note"
    error: float | None = None
    cpu_error: float | None = None
    sample: int | None = None
    samples: int | None = None
    left_out: int | None = None
    """Of a probe: the conditions for which there was no time."""
    hint: str | None = None

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        return self.op, self.name, self.variant, self.dtype, self.direction


def cells_of(findings: Iterable[Finding]) -> list[OpCell]:
    """Of a run: the newest word on each, with the direction of those that were lost made out."""
    cells: dict[tuple[str, ...], OpCell] = {}
    for one in findings:
        if one.kind == KIND:
            cell = _cell(one)
            if cell.direction == EITHER:
                cell = _placed(cell, cells)
            cells[cell.key] = cell
    return list(cells.values())


def _placed(cell: OpCell, known: dict[tuple[str, ...], OpCell]) -> OpCell:
    forward = msgspec.structs.replace(cell, direction="forward")
    before = known.get(forward.key)
    was_found = before is not None and before.verdict not in ("crash", "hang", "skipped")
    return msgspec.structs.replace(cell, direction="backward") if was_found else forward


def _cell(one: Finding) -> OpCell:
    facts = one.facts
    return OpCell(
        op=str(facts.get("op")),
        variant=str(facts.get("variant") or ""),
        dtype=str(facts.get("dtype")),
        direction=str(facts.get("direction")),
        verdict=_verdict(one.verdict),
        tier=one.tier,
        reason=one.evidence,
        name=str(facts.get("name") or ""),
        level=LEVELS[_verdict(one.verdict)],
        error=_number(facts.get("error")),
        cpu_error=_number(facts.get("cpu_error")),
        sample=_count(facts.get("sample")),
        samples=_count(facts.get("samples")),
        left_out=_count(facts.get("left_out")),
        hint=one.hint,
    )


def _verdict(words: str) -> str:
    """A lost case is told in a scheduler's words."""
    return words if words in LEVELS else {"failed": "crash", "out_of_memory": "skipped"}.get(words, "skipped")


def _number(value: Scalar) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _count(value: Scalar) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def worst_first(cells: Iterable[OpCell]) -> list[OpCell]:
    """What is wrong or missing before what works."""
    return sorted(cells, key=lambda cell: (WORST_FIRST.index(cell.verdict), cell.name, cell.variant, cell.dtype))


def count_verdicts(cells: Iterable[OpCell]) -> dict[str, int]:
    counts = Counter(cell.verdict for cell in cells)
    return {verdict: counts[verdict] for verdict in WORST_FIRST if counts[verdict]}


def atlas_rows(findings: Iterable[Finding]) -> list[dict[str, str]]:
    """The table of a page: one row per cell, worst first, everything in words."""
    return [
        {
            "op": cell.name or cell.op,
            "variant": cell.variant,
            "dtype": cell.dtype,
            "direction": cell.direction,
            "verdict": cell.verdict,
            "tier": cell.tier,
            "reason": cell.reason,
            "error": "" if cell.error is None else f"{cell.error:.2g}",
            "reproduction": f"torchstone ops show {cell.name or cell.op} --dtype {cell.dtype} --repro",
        }
        for cell in worst_first(cells_of(findings))
    ]
