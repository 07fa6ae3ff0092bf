"""An accuracy in words: with the photographs that it was counted on where they are few, as 67 % may be four of six."""

from torchstone.records import Measurement

ACCURACY, TEST_ACCURACY = "accuracy", "test accuracy"
FEW_PHOTOGRAPHS = 200
"""Below, a share of one half is known no better than to seven points in a hundred."""


def is_share(one: Measurement) -> bool:
    return one.quantity in (ACCURACY, TEST_ACCURACY)


def accuracy_words(one: Measurement, share: float) -> str:
    """`86.9%`; `66.7% (4 of 6 photographs)`."""
    count = _counted_on(one)
    few = f" ({round(share * count)} of {count} photographs)" if count and count < FEW_PHOTOGRAPHS else ""
    return f"{share:.1%}{few}"


def _counted_on(one: Measurement) -> int | None:
    """How many photographs it is a share of, where the record says so."""
    part = "validation" if one.facts.get("measured on") == "validation photographs" else "test"
    count = one.facts.get(f"{part} images")
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else None
