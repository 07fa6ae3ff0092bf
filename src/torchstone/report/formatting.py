"""Numbers in the words that people use; SI inside, units only here."""

import math
from datetime import datetime, timezone

from torchstone.records import Fact, Scalar
from torchstone.report.terminal import format_bytes, format_seconds

_PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def format_value(value: float, unit: str) -> str:
    """A number with its unit."""
    if unit == "s":
        return format_signed_seconds(value)
    if unit == "bytes":
        return format_bytes(value)
    if unit == "bytes/s":
        return f"{format_bytes(value)}/s"
    number = format_number(value)
    if unit in ("", "1"):
        return number
    return f"{number}{unit}" if number[-1].isalpha() else f"{number} {unit}"  # 100 GFLOP/s


def format_interval(low: float, high: float, unit: str) -> str:
    """Both ends, and their unit once where it is the same."""
    first, last = format_value(low, unit), format_value(high, unit)
    number, _, its_unit = first.partition(" ")
    shared = its_unit and last.partition(" ")[2] == its_unit
    return f"{number} – {last}" if shared else f"{first} – {last}"


def format_signed_seconds(value: float) -> str:
    if value == 0:
        return "0 s"
    return format_seconds(value) if value > 0 else f"−{format_seconds(-value)}"


def format_number(value: float) -> str:
    """Three digits that count; thousands by a prefix where there are many."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else "not a number"
    for scale, prefix in _PREFIXES:
        if abs(value) >= scale * 10:
            return f"{_three(value / scale)} {prefix}"
    return _three(value)


def _three(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def format_rate(items: float, item: str, seconds: float) -> str:
    """Items a second."""
    if seconds <= 0:
        return ""
    rate = items / seconds
    return f"{format_bytes(rate)}/s" if item == "bytes" else f"{format_number(rate)} {item}/s"


def format_times(ratio: float) -> str:
    """A ratio of speeds: `2.3×`, and more digits near nothing."""
    if ratio >= 100:
        return f"{ratio:,.0f}×"
    return f"{ratio:.1f}×" if ratio >= 10 else f"{ratio:.2f}×" if ratio >= 0.1 else f"{ratio:.2g}×"


def speed_words(ratio: float) -> str:
    """`2.3× as fast`, `4.0× slower`: never a fraction, which people read the wrong way round."""
    if ratio <= 0:
        return "immeasurably slower"
    if 0.995 <= ratio <= 1.005:
        return "as fast"
    return f"{format_times(ratio)} as fast" if ratio > 1 else f"{format_times(1 / ratio)} slower"


def scalar_words(value: Scalar) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return "unknown" if value is None else str(value)


def fact_words(fact: Fact) -> str:
    """A fact's value, or why there is none."""
    if fact.value is None:
        return f"unknown: {fact.reason}" if fact.reason else "unknown"
    return scalar_words(fact.value)


def moment_words(moment: str) -> str:
    """A moment to the minute; what is no moment stays as the file has it."""
    try:
        found = datetime.fromisoformat(moment)
        return f"{found.astimezone(timezone.utc):%Y-%m-%d %H:%M} UTC" if found.tzinfo else moment
    except (ValueError, OverflowError):
        return moment


def count_words(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def span_words(low: float, high: float) -> str:
    first, last = short_times(low), short_times(high)
    return first if first == last else f"{first} to {last}"


def short_times(times: float) -> str:
    """As people say it: 17, 1.4, 1.05."""
    if times >= 10:
        return f"{times:,.0f}"
    return f"{times:.1f}".removesuffix(".0") if times >= 1.25 else f"{times:.2f}"
