"""Two atlases side by side: what was gained, lost, became wrong or was mended, by operator, dtype and direction."""

from collections.abc import Iterable

import msgspec

from torchstone.report.atlas import OpCell

WORKS = ("ok", "falls_back")
WRONG = ("wrong", "flaky", "crash", "hang")


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One cell that is another than before."""

    op: str
    name: str
    variant: str
    dtype: str
    direction: str
    before: str
    after: str
    reason: str


class AtlasDifference(msgspec.Struct, frozen=True, kw_only=True):
    """From one run to another."""

    gained: tuple[Change, ...]
    """Did not work, and does now."""
    lost: tuple[Change, ...]
    """Worked, and is refused now."""
    became_wrong: tuple[Change, ...]
    mended: tuple[Change, ...]
    """Was wrong, and is right now."""
    compared: int
    only_before: int
    only_after: int


def difference_of(before: Iterable[OpCell], after: Iterable[OpCell]) -> AtlasDifference:
    """For the cells that both runs have."""
    old, new = ({cell.key: cell for cell in cells if cell.verdict != "skipped"} for cells in (before, after))
    both = [(old[key], new[key]) for key in old.keys() & new.keys()]
    changed = sorted(
        (_change(one, other) for one, other in both if one.verdict != other.verdict),
        key=lambda change: (change.name, change.variant, change.dtype, change.direction),
    )
    return AtlasDifference(
        gained=tuple(one for one in changed if one.after in WORKS and one.before not in (*WORKS, *WRONG)),
        lost=tuple(one for one in changed if one.before in WORKS and one.after not in (*WORKS, *WRONG)),
        became_wrong=tuple(one for one in changed if one.after in WRONG and one.before not in WRONG),
        mended=tuple(one for one in changed if one.before in WRONG and one.after in WORKS),
        compared=len(both),
        only_before=len(old.keys() - new.keys()),
        only_after=len(new.keys() - old.keys()),
    )


def _change(before: OpCell, after: OpCell) -> Change:
    return Change(
        op=after.op,
        name=after.name,
        variant=after.variant,
        dtype=after.dtype,
        direction=after.direction,
        before=before.verdict,
        after=after.verdict,
        reason=after.reason,
    )
