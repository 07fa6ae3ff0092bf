"""Probes of a model's own calls on the pretend device: faults that the step itself does not meet."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from torch import Tensor, nn

import plants
from torchstone import pretend
from torchstone.checking.building import build_of_target
from torchstone.checking.calls import find_operator, listed_calls, load_call, record
from torchstone.checking.parity import compare
from torchstone.checking.probing import KIND, LEFT_OUT, base_of, functional_of, is_probed, provide, tell_left
from torchstone.checking.stages import check_here
from torchstone.models.inputs import Inputs
from torchstone.pretend import Call
from torchstone.records import Finding
from torchstone.scheduling import Turn


class Calls(nn.Module):
    """A module of one function."""

    def __init__(self, call: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.call = call
        self.scale = nn.Parameter(torch.ones(6))

    def forward(self, x: Tensor) -> Tensor:
        return self.call(x * self.scale)


def gelu_and_sum(x: Tensor) -> Tensor:
    return nn.functional.gelu(x).sum(1)


def clamp_twice(x: Tensor) -> Tensor:
    return x.clamp(min=0.0) + x.clamp(min=0.5)


def add_in_place(x: Tensor) -> Tensor:
    y = x.sin()
    y.add_(x)
    return y


def probe(call: Callable[[Tensor], Tensor], op: str, folder: Path, train: bool = False) -> list[Finding]:
    """What the probes of one operator say, in this process and without a clock."""
    record(Calls(call), Inputs((torch.linspace(-2, 2, 24).view(4, 6),), {}), folder, train)
    chosen = next(one for one in provide(str(folder), "pretend") if one.listing.name == f"check probe/{op}")
    return [one for one in chosen.run(Turn(math.inf)) if isinstance(one, Finding)]


def remember_the_first_bound() -> Callable[[Call], Any]:
    kept: dict[Any, Any] = {}

    def fault(call: Call) -> Any:
        bound = kept.setdefault(call.args[0].shape, call.args[1])
        return call.right() if bound == call.args[1] else torch.clamp(call.args[0], min=bound)

    return fault


@pytest.mark.parametrize(("plant", "verdict"), [("gelu_strided", "wrong"), (None, "right")])
def test_a_layout_that_the_step_does_not_have(plant: str | None, verdict: str, tmp_path: Path) -> None:
    pretend.install()
    device = plants.find("gelu_strided").planted() if plant else pretend.configure()
    with device:
        step = compare(Calls(gelu_and_sum), Inputs((torch.ones(4, 6),), {}), "pretend", False)
        (found,) = probe(gelu_and_sum, "aten::gelu", tmp_path)
    assert step.divergence is None
    assert found.verdict == verdict
    assert "transposed" in found.evidence if plant else "right under" in found.evidence


def test_gradients_are_probed_where_the_step_has_them(tmp_path: Path) -> None:
    pretend.install()

    def ignore_expanded(call: Call) -> Any:
        return call.right() * (0 if 0 in call.args[0].stride() else 1)

    with pretend.configure(faults={"gelu_backward": ignore_expanded}):
        (found,) = probe(gelu_and_sum, "aten::gelu", tmp_path, train=True)
    assert found.verdict == "wrong"
    assert "backward expanded" in found.evidence


def test_calls_in_turns(tmp_path: Path) -> None:
    """A graph cache that forgets a scalar: right the first time, whatever comes first."""
    pretend.install()
    with pretend.configure(faults={"clamp": remember_the_first_bound()}):
        found = probe(clamp_twice, "aten::clamp", tmp_path)
    assert [one.verdict for one in found] == ["wrong"]


def test_in_place_calls_write_into_guarded_views(tmp_path: Path) -> None:
    pretend.install()

    def lose_the_update(call: Call) -> Any:
        return call.args[0] if not call.args[0].is_contiguous() else call.right()

    with pretend.configure(faults={"add_.Tensor": lose_the_update}):
        (found,) = probe(add_in_place, "aten::add_.Tensor", tmp_path)
    assert found.verdict == "wrong"
    assert "into a view" in found.evidence


def finding(kind: str, subject: str, left_out: int = 0) -> Finding:
    rest = {"verdict": "right", "level": "ok", "tier": "measured", "evidence": "", "facts": {LEFT_OUT: left_out}}
    return msgspec.convert({"kind": kind, "subject": subject, **rest}, Finding)


def test_what_there_was_no_time_for_is_told() -> None:
    assert tell_left((), 0, [finding(KIND, "aten::mm")]) == []
    unbegun = ("aten::add.Tensor", "aten::mul.Tensor")
    (note,) = tell_left(
        unbegun, 1, [finding(KIND, "aten::mm", 7), finding(KIND, "aten::gelu", 5), finding(KIND, "aten::t")]
    )
    assert note.startswith("no time was left to probe 2 operators (aten::add.Tensor, aten::mul.Tensor); ")
    assert "; 12 conditions of 2 more (aten::mm, aten::gelu); 1 of the probes beyond this step: " in note


def test_a_call_that_was_cut_short_says_so(tmp_path: Path) -> None:
    record(Calls(gelu_and_sum), Inputs((torch.ones(4, 6),), {}), tmp_path, False)
    chosen = next(one for one in provide(str(tmp_path), "cpu") if one.listing.name == "check probe/aten::gelu")
    (found,) = [one for one in chosen.run(Turn(0.0)) if isinstance(one, Finding)]
    assert int(str(found.facts[LEFT_OUT])) > 0


def test_what_is_probed() -> None:
    assert functional_of(find_operator("aten::add_.Tensor")) is torch.ops.aten.add.Tensor
    assert is_probed(torch.ops.aten.mm.default)
    assert not is_probed(torch.ops.aten.bernoulli_.float)


def test_a_recorded_call_keeps_its_values(tmp_path: Path) -> None:
    record(Calls(gelu_and_sum), Inputs((torch.ones(4, 6),), {}), tmp_path, False)
    (listed,) = [one for one in listed_calls(tmp_path) if one.op == "aten::gelu"]
    base = base_of(load_call(tmp_path, listed.number), with_gradient=False)
    assert base.dtypes == (torch.float32,)
    assert torch.equal(base.call(torch.ones(2))[0], nn.functional.gelu(torch.ones(2)))


def test_the_whole_check_runs_a_persons_file_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHSTONE_PRETEND_KNOBS", '{"wrong": ["gelu"]}')
    path, count = tmp_path / "mine.py", tmp_path / "count"
    path.write_text(
        f"import torch\nopen({str(count)!r}, 'a').write('x')\n"
        "def make():\n    return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU()), (torch.ones(2, 4),)\n"
    )
    answer = check_here(build_of_target(f"{path}:make", None), "pretend", ("parity", "replay"))
    assert count.read_text() == "x"
    assert (answer.stage, answer.verdict) == ("all", "wrong")
    assert answer.first_divergence is not None
    assert [one.subject for one in answer.problems] == ["aten::gelu"] * 2
