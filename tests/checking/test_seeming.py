"""Code outside torch sees the device that is asked for, and takes the way that it would take there."""

from pathlib import Path

import pytest
import torch

from torchstone.checking.answer import Answer
from torchstone.checking.building import build_of_target
from torchstone.checking.preflight import preflight

MODELS = Path(__file__).with_name("devices_to_check.py")


def foretell(name: str, device: str = "mps", train: bool = False) -> Answer:
    return preflight(build_of_target(f"{MODELS}:{name}", None), device, train=train)


def line_of(comment: str) -> int:
    lines = MODELS.read_text(encoding="utf-8").splitlines()
    (found,) = [number for number, line in enumerate(lines, 1) if line.endswith(f"# {comment}")]
    return found


@pytest.mark.parametrize(
    ("name", "device", "train"),
    [
        ("chooses", "mps", False),
        ("chooses", "cuda", False),
        ("moves", "mps", False),
        ("recomputed", "mps", True),
        ("cast", "cuda", False),
        ("draws", "mps", False),
    ],
)
def test_what_runs(name: str, device: str, train: bool) -> None:
    answer = foretell(name, device, train)
    assert (answer.verdict, answer.problems) == ("runs", ())


@pytest.mark.parametrize(("name", "line"), [("by_type", "by type"), ("by_flag", "by flag")])
def test_the_way_of_the_device_is_judged(name: str, line: str) -> None:
    (problem,) = foretell(name).problems
    assert (problem.subject, problem.verdict) == ("aten::linalg_eig", "will_not_run")
    assert problem.source.endswith(f"{MODELS.name}:{line_of(line)}")


def test_autocast_computes_in_its_dtype() -> None:
    answer = foretell("cast", train=True)
    assert answer.verdict == "runs"
    found = {one.subject: one.dtypes for one in answer.findings if one.phase == "forward"}
    assert set(found["aten::linear"]) == {"bfloat16"}


def test_a_generator_of_the_host_is_refused() -> None:
    (problem,) = foretell("draws_on_host").problems
    assert (problem.subject, problem.verdict) == ("randn", "will_not_run")
    assert problem.source.endswith(f"{MODELS.name}:{line_of('drawn')}")
    assert problem.reason == "Expected a 'mps' device type for generator but found 'cpu'"
    assert "device=x.device" in problem.hint


def test_what_cannot_be_shown_of_a_device_is_unknown() -> None:
    answer = foretell("asks_its_size")
    assert answer.verdict == "unknown"
    assert "without MPS backend" in answer.problems[0].reason


def test_a_line_that_cannot_be_shown_the_device_is_unknown() -> None:
    (problem,) = foretell("called_back").problems
    assert (problem.subject, problem.verdict) == ("Tensor.device", "unknown")
    assert problem.source.endswith(f"{MODELS.name}:{line_of('called back')}")


@pytest.mark.skipif(torch.version.cuda is not None, reason="this torch has them")
@pytest.mark.parametrize("name", ["streams", "events", "marks"])
def test_what_needs_the_device_itself_is_unknown(name: str) -> None:
    answer = foretell(name, "cuda")
    (problem,) = answer.problems
    assert (answer.verdict, problem.phase) == ("unknown", "forward")
    assert "needs the device itself" in problem.hint
