"""What is said of speed: from which size on, and nothing of sizes that were not raced."""

import pytest

from torchstone.ops.speed import NOT_JUDGED, Outcome, _tell


@pytest.mark.parametrize(
    ("words", "verdict", "wins_from"),
    [
        (("slower", "faster", "faster"), "faster from n=64 on", 64),
        (("slower", "faster", "slower"), "never faster here", None),
        (("slower", "faster", None), "faster from n=64 to n=64", 64),
        (("slower", "slower", None), "not faster up to n=64", None),
        ((None, None, None), NOT_JUDGED, None),
    ],
)
def test_a_verdict_keeps_to_what_was_raced(words: tuple[str | None, ...], verdict: str, wins_from: int | None) -> None:
    sizes = zip((16, 64, 256), words, strict=True)
    told = _tell("matmul", "cpu", [Outcome(size, one or "no time", one is not None) for size, one in sizes])
    assert (told.verdict, told.facts["wins_from"]) == (verdict, wins_from)
