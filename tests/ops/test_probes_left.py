"""A probe that its budget cut short says how much it left, and so does the screen."""

import math

from rich.console import Console

from torchstone.errors import spell_some
from torchstone.ops.probes.cases import probe_cases
from torchstone.ops.probes.conditions import LOWERED
from torchstone.ops.verdicts import cells_of
from torchstone.records import Finding
from torchstone.report.ops_screen import print_atlas
from torchstone.scheduling import Turn


def judged(seconds: float) -> list[Finding]:
    (case,) = probe_cases("cpu", ["relu"], ["float32"], 60.0, LOWERED)
    return [one for one in case.run(Turn(seconds)) if isinstance(one, Finding)]


def screen_of(found: list[Finding]) -> str:
    screen = Console(width=200, markup=False, highlight=False, record=True)
    print_atlas(screen, cells_of(found), "cpu")
    return screen.export_text()


def test_what_there_was_no_time_for_is_on_the_screen() -> None:
    found = judged(0.0)
    (cell,) = cells_of(found)
    assert cell.verdict == "skipped"
    assert cell.left_out is not None
    assert cell.left_out > 100
    assert f"no time was left for {cell.left_out} conditions of 1 operators (relu): give more --budget" in screen_of(
        found
    )


def test_where_there_was_time_nothing_is_said() -> None:
    found = judged(math.inf)
    assert [cell.left_out for cell in cells_of(found)] == [0]
    assert "no time" not in screen_of(found)


def test_the_first_of_many_names() -> None:
    assert spell_some(["a", "b"]) == "a, b"
    assert spell_some(list("abcdefgh")) == "a, b, c, d, e and 3 more"
