"""What is said where the process that runs a model did not come to its end."""

from pathlib import Path

import pytest

from torchstone.checking.building import build_of_target
from torchstone.checking.stages import _tell_late, _tell_lost, check_here
from torchstone.checking.trace import Place
from torchstone.models.inputs import Inputs
from torchstone.processes import Outcome


def never() -> tuple[object, Inputs]:
    raise AssertionError("a process that died is not tried again")


@pytest.mark.parametrize(
    ("detail", "subject", "verdict"),
    [
        ("killed by SIGSEGV", "the device", "will_not_run"),
        ("killed by SIGKILL: by the system, for want of memory", "the model", "unknown"),  # no device sends that
    ],
)
def test_a_process_that_died(detail: str, subject: str, verdict: str) -> None:
    found = _tell_lost(Outcome("killed", detail=detail), never, False)  # type: ignore[arg-type]
    assert (found.subject, found.verdict, found.tier) == (subject, verdict, "measured")
    assert found.reason.endswith(f"ended: {detail}")


def test_probes_that_had_no_time_are_no_success(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import torch\ndef make():\n    return torch.nn.GELU(), (torch.ones(2, 3),)\n", encoding="utf-8")
    answer = check_here(build_of_target(f"{path}:make", None), "cpu", ("probes",), budget_s=1e-6)
    assert answer.verdict == "unknown"
    (problem,) = answer.problems
    assert "no time was left to probe 1 operators (aten::gelu)" in problem.reason


def test_one_that_was_late_is_told_with_its_line() -> None:
    late = Outcome("timed_out", detail="it had not ended after 8 s")
    found = _tell_late(late, Place(phase="building", source="mine.py:3"))
    assert (found.verdict, found.phase, found.source) == ("unknown", "building", "mine.py:3")
    assert "--limit" in found.hint
