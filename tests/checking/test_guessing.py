"""Guesses come to an end, and what only decides an error is none."""

import pytest

from torchstone.checking import guessing
from torchstone.checking.guessing import EndlessLoopError, Guesses
from torchstone.checking.trace import Guess, Place

HERE, THERE = Place(module="1", source="mine.py:3"), Place(module="2", source="mine.py:3")


def test_a_line_of_one_module_has_a_limit() -> None:
    guesses = Guesses()
    for _ in range(guessing.MOST_AT_A_LINE):
        guesses.note("aten::item", HERE)
        guesses.note("aten::item", THERE)
    assert list(guesses.found) == [Guess(op="aten::item", place=HERE), Guess(op="aten::item", place=THERE)]
    with pytest.raises(EndlessLoopError, match="a loop depends on data") as caught:
        guesses.note("aten::item", HERE)
    assert caught.value.place is HERE
    assert list(guesses.found) == [Guess(op="aten::item", place=THERE)]


def test_all_lines_together_have_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guessing, "MOST_IN_ALL", 3)
    guesses = Guesses()
    for number in range(3):
        guesses.note("aten::item", Place(source=f"mine.py:{number}"))
    with pytest.raises(EndlessLoopError):
        guesses.note("aten::item", HERE)
