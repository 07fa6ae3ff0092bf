"""Which conditions can do no more than raise, and what they must be for a program to go on."""

from pathlib import Path

import pytest

from torchstone.checking.guards import _guards


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("if bad(x).any():\n    raise ValueError", {1: False}),
        ("if not good(x).all():\n    raise ValueError", {1: True}),
        ("assert good(x).all()", {1: True}),
        ("assert not bad(x).any()", {1: False}),
        ("if (\n    bad(x).any()\n):\n    raise ValueError", {2: False}),
        ("if bad(x).any():\n    raise ValueError\nelse:\n    x = -x", {1: False}),
        ("if bad(x).any():\n    x = -x", {}),  # both ways go on
        ("if bad(x).any():\n    x = -x\n    raise ValueError", {}),  # it may be caught
        ("if x.sum() > 3:\n    raise ValueError", {1: False}),
        ("if bad(x).any() and strict:\n    raise ValueError", {1: False}),
        ("if bad(x).any() or not good(x).all():\n    raise ValueError", {}),
        ("if bad(x).any() and worse(x).any():\n    raise ValueError", {}),  # whether the second is computed is a guess
    ],
)
def test_conditions(tmp_path: Path, code: str, wanted: dict[int, bool]) -> None:
    path = tmp_path / "mine.py"
    path.write_text(code + "\n", encoding="utf-8")
    assert _guards(str(path)) == wanted


def test_what_is_no_python_has_none(tmp_path: Path) -> None:
    path = tmp_path / "cell.py"
    path.write_text("%time if", encoding="utf-8")
    assert _guards(str(path)) == {}
