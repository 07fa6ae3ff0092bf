"""Figures as people write them."""

import pytest

from torchstone.measuring.spelling import spell_bytes, spell_growth, spell_number, spell_rate


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0.0, "0 bytes"),
        (1023.0, "1023 bytes"),
        (1024.0, "1 KiB"),
        (999.4 * 1024, "999 KiB"),
        (1018.0 * 1024, "1,018 KiB"),
        (4.36 * 2**20, "4.36 MiB"),
        (1020.0 * 2**20, "1,020 MiB"),
        (5000.0 * 2**30, "5,000 GiB"),
    ],
)
def test_sizes(count: float, words: str) -> None:
    assert spell_bytes(count) == words
    assert spell_growth(count) == f"+{words}"


def test_what_shrinks() -> None:
    assert spell_growth(-1018.0 * 1024) == "-1,018 KiB"


@pytest.mark.parametrize(("value", "words"), [(0.0123456, "0.0123"), (999.4, "999"), (1138.2, "1,138")])
def test_numbers(value: float, words: str) -> None:
    assert spell_number(value) == words


@pytest.mark.parametrize(
    ("rate", "words"),
    [(34.9e9, "34.9 GFLOP/s"), (668e6, "668 MFLOP/s"), (12.0, "12 FLOP/s"), (2e18, "2,000 PFLOP/s"), (0.0, "0 FLOP/s")],
)
def test_rates(rate: float, words: str) -> None:
    assert spell_rate(rate, "FLOP/s") == words
