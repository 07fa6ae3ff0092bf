"""Figures for people, in reasons and evidence: three digits, and never 1.02e+03 of anything."""

_BINARY = ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_DECIMAL = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def spell_number(value: float) -> str:
    """Three digits; from a thousand on, all of them that stand before the point."""
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"


def spell_range(low: float, high: float) -> str:
    return f"{spell_number(low)}–{spell_number(high)}"


def spell_milliseconds(seconds: float) -> str:
    return f"{spell_number(seconds * 1e3)} ms"


def spell_bytes(count: float) -> str:
    """4.36 MiB; whole bytes below a KiB."""
    for scale, unit in _BINARY:
        if abs(count) >= scale:
            return f"{spell_number(count / scale)} {unit}"
    return f"{count:.0f} bytes"


def spell_growth(count: float) -> str:
    """Bytes with their sign, which tells growing from shrinking."""
    return f"{'-' if count < 0 else '+'}{spell_bytes(abs(count))}"


def spell_rate(rate: float, unit: str) -> str:
    """35 GFLOP/s: with the prefix that leaves one to three digits before the point."""
    for scale, prefix in _DECIMAL:
        if abs(rate) >= scale:
            return f"{spell_number(rate / scale)} {prefix}{unit}"
    return f"{spell_number(rate)} {unit}"
