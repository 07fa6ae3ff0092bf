"""Whether two records did the same work, and how much of it each did in a sample.

The batch of a person's own model stands in no name: eight rows and sixty-four are one case of two runs. Set side by
side as they are, more rows a second would be called slower. So a step of another amount is compared by its items a
second, and whatever has no such rate (a latency, memory) is not compared.
"""

from dataclasses import dataclass

from torchstone.records import Measurement, Run
from torchstone.report.names import batch_of
from torchstone.report.standings import STEPS, items_of

MODEL, INPUT = "--model=", "--input="
"""How a run's `asked` begins to name them."""


@dataclass(frozen=True)
class Amount:
    """How much work a sample is."""

    items: float | None
    batch: int | None
    item: str

    @property
    def words(self) -> str:
        """`batch 8`, or `800 images a sample` where that is not its batch."""
        if self.batch is not None and self.items in (None, self.batch):
            return f"batch {self.batch}"
        return f"{self.items:g} {self.item} a sample" if self.items is not None else ""


def amount_of(one: Measurement) -> Amount:
    return Amount(items_of(one), batch_of(one), item_of(one))


def item_of(one: Measurement) -> str:
    return str(one.facts.get("item") or "items")


def differing_amounts(a: Measurement, b: Measurement) -> tuple[Amount, Amount] | None:
    """What each did, where both say it and it is not the same."""
    one, other = amount_of(a), amount_of(b)
    pairs = ((one.items, other.items), (one.batch, other.batch))
    differ = any(first is not None and last is not None and first != last for first, last in pairs)
    return (one, other) if differ else None


def is_by_item(a: Measurement, b: Measurement) -> bool:
    """Whether these are compared by their items a second."""
    are_steps = a.unit == b.unit == "s" and a.quantity in STEPS
    amounts = differing_amounts(a, b) if are_steps else None
    return amounts is not None and all(amount.items for amount in amounts)


def share_of(a: Measurement, b: Measurement) -> float:
    """How many times as many items a sample of B is as one of A, where they are compared by the item."""
    one, other = items_of(a), items_of(b)
    return other / one if one and other and is_by_item(a, b) else 1.0


def differing_fields(a: Measurement, b: Measurement) -> list[str]:
    """What makes it other work, with both values."""
    fields: list[tuple[str, object, object]] = [
        ("dtype", a.setup.dtype, b.setup.dtype),
        ("precision", a.setup.precision, b.setup.precision),
        ("protocol", a.protocol, b.protocol),
        ("sync", a.setup.sync, b.setup.sync),
        ("unit", a.unit, b.unit),
    ]
    found = [f"{name}: {one} and {other}" for name, one, other in fields if one != other]
    return found or [*_other_items(a, b), *_other_amount(a, b)]


def _other_items(a: Measurement, b: Measurement) -> list[str]:
    is_said = "item" in a.facts and "item" in b.facts
    return [f"counted in {item_of(a)} and in {item_of(b)}"] if is_said and item_of(a) != item_of(b) else []


def _other_amount(a: Measurement, b: Measurement) -> list[str]:
    amounts = differing_amounts(a, b)
    if amounts is None or is_by_item(a, b):
        return []
    return [f"{amounts[0].words} and {amounts[1].words}: for {a.quantity} not the same work"]


def other_input(a: Run, b: Run) -> str:
    """That the model was called with another kind of input, the number of rows apart; empty where nobody said so."""
    one, other = asked_for(a, INPUT), asked_for(b, INPUT)
    if one is None or other is None or _row(one) == _row(other):
        return ""
    return f"another input: {one} and {other}"


def asked_for(run: Run, option: str) -> str | None:
    return next((word.removeprefix(option) for word in run.asked if word.startswith(option)), None)


def _row(shape: str) -> str:
    """`64x256` without its first number."""
    return shape.partition("x")[2]
