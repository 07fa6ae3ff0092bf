"""Numbers and moments in the words that people use."""

import pytest

from torchstone.report.formatting import format_interval, moment_words
from torchstone.report.names import work_of


@pytest.mark.parametrize(
    ("low", "high", "unit", "words"),
    [
        (0.05, 0.06, "s", "50 – 60 ms"),
        (0.0005, 0.06, "s", "500 µs – 60 ms"),
        (2048, 4096, "bytes", "2.0 – 4.0 KiB"),
        (1.0, 2.0, "1", "1 – 2"),
    ],
)
def test_an_interval_says_its_unit_once(low: float, high: float, unit: str, words: str) -> None:
    assert format_interval(low, high, unit) == words


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("2026-11-15T22:00:59+00:00", "2026-11-15 22:00 UTC"),
        ("2026-11-15T22:00:00+02:00", "2026-11-15 20:00 UTC"),
        ("2026-11-15T22:00:00", "2026-11-15T22:00:00"),
        ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00+14:00"),
        ("<script>", "<script>"),
    ],
)
def test_a_moment_to_the_minute(moment: str, words: str) -> None:
    assert moment_words(moment) == words


@pytest.mark.parametrize(
    ("name", "words"), [("/////", "unnamed"), ("", "unnamed"), ("a//b", "b"), ("a/ /b/batch=2", "b, batch 2")]
)
def test_a_name_of_nothing_is_unnamed(name: str, words: str) -> None:
    assert work_of(name).words == words
