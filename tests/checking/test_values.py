"""Indices and values: what a device refuses to be read at, and what a trace knows without data."""

from pathlib import Path

import pytest

from torchstone.checking.answer import Answer
from torchstone.checking.building import build_of_target
from torchstone.checking.preflight import preflight

pytestmark = pytest.mark.usefixtures("traces_are_forked")
MODELS = Path(__file__).with_name("values_to_check.py")


def foretell(name: str, device: str = "mps") -> Answer:
    return preflight(build_of_target(f"{MODELS}:{name}", None), device)


def source_of(comment: str) -> str:
    lines = MODELS.read_text(encoding="utf-8").splitlines()
    (found,) = [number for number, line in enumerate(lines, 1) if line.endswith(f"# {comment}")]
    return f"{MODELS.name}:{found}"


@pytest.mark.parametrize("name", ["at_numbers", "at_several", "at_truths"])
@pytest.mark.parametrize("device", ["mps", "cuda"])
def test_a_tensor_of_the_host_is_not_read_at_indices_of_the_device(name: str, device: str) -> None:
    answer = foretell(name, device)
    problem = next(one for one in answer.problems if one.verdict == "will_not_run")
    assert (answer.verdict, problem.subject) == ("will_not_run", "aten::index.Tensor")
    assert problem.source.endswith(source_of(name.replace("_", " ")))
    assert "indices should be either on cpu or on the same device as the indexed tensor (cpu)" in problem.reason
    assert "table is a plain attribute" in problem.hint


@pytest.mark.parametrize("name", ["at_home", "written"])
def test_what_may_be_indexed_across_devices(name: str) -> None:
    answer = foretell(name)
    assert (answer.verdict, answer.problems) == ("runs", ())


@pytest.mark.parametrize("name", ["lists", "masks", "counts"])
def test_whole_numbers_and_truths_that_are_known(name: str) -> None:
    answer = foretell(name)
    assert (answer.verdict, answer.problems) == ("runs", ())
    assert not any("rests in part on values" in note for note in answer.notes)


def test_what_was_written_to_is_not_known() -> None:
    answer = foretell("counts_on")
    assert answer.verdict == "unknown"
    assert any(one.source.endswith(source_of("counts on")) for one in answer.problems)
