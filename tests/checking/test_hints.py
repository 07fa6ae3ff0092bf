"""What to do about a call: a later torch is named where its own tables say so, and what falling back costs."""

from pathlib import Path

import msgspec
import pytest
from tests.making_wheels import make_wheel

from torchstone.checking.hints import SHOWN_BY_DTYPE, hint_for
from torchstone.checking.trace import TracedCall
from torchstone.ops.wheels import Cell, Evidence, newer_evidence
from torchstone.ops.wheels.reading import gather

CALL = TracedCall(op="aten::_eigh", inputs=("float32",), calls=3, bytes=3 << 20)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchstone.ops.wheels.keeping.folder", lambda: tmp_path / "cache" / "wheels")


@pytest.fixture
def evidence(tmp_path: Path) -> Evidence:
    """Of a torch in which MPS has no _eigh."""
    return Evidence(msgspec.structs.replace(gather(make_wheel(tmp_path)), ci=None, op_infos=()), "mps")


def later(evidence: Evidence, release: str, *keys: str) -> Evidence:
    facts = evidence._known.facts
    return Evidence(
        msgspec.structs.replace(facts, torch=release, keys={**facts.keys, "_eigh": keys}, headers=None), "mps"
    )


def test_a_later_torch_that_has_it_is_named(evidence: Evidence) -> None:
    newer = (later(evidence, "2.14.0", "CPU"), later(evidence, "2.15.0", "CPU", "MPS"))
    hint = hint_for(evidence.cell("aten::_eigh"), evidence, CALL, newer)
    assert "or take torch 2.15.0, where it runs" in hint
    assert "2.14" not in hint


def test_what_falling_back_costs(evidence: Evidence) -> None:
    hint = hint_for(evidence.cell("aten::_eigh"), evidence, CALL)
    assert "PYTORCH_ENABLE_MPS_FALLBACK=1" in hint
    assert "each of its 3 calls in a step waits for the device and copies 3.0 MiB there and back" in hint
    assert "take torch" not in hint


def test_what_runs_needs_no_hint(evidence: Evidence) -> None:
    assert hint_for(evidence.cell("aten::relu"), evidence, CALL) == ""


def test_a_cast_is_advised_only_where_something_shows_that_it_helps(evidence: Evidence) -> None:
    """That there is a kernel says nothing of one that takes no floats."""
    cell = Cell(
        op="aten::relu", variant="", dtype="int64", direction="forward", verdict="dtype", tier="ci-tables", reason=""
    )
    assert evidence.cell("aten::relu").tier not in SHOWN_BY_DTYPE
    assert "move its tensors to the CPU" in hint_for(cell, evidence, CALL)


def test_a_matrix_is_moved_for_the_function_that_was_called(evidence: Evidence) -> None:
    cell = msgspec.structs.replace(evidence.cell("aten::_eigh"), op="aten::_linalg_eigh")
    named = msgspec.structs.replace(CALL, within="linalg.eigvalsh")
    assert "torch.linalg.eigvalsh(x.cpu())" in hint_for(cell, evidence, named)
    assert "torch.linalg.eigh(x.cpu())" in hint_for(cell, evidence, CALL)


def test_later_releases_are_those_that_were_read_before(tmp_path: Path) -> None:
    for release in ("2.13.0", "2.9.0", "2.15.0", "2.14.0"):
        gather(make_wheel(tmp_path, release=release))
    assert [one.torch for one in newer_evidence("mps", "2.13.0")] == ["2.14.0", "2.15.0"]
    assert newer_evidence("mps", "2.15.0") == ()


def test_a_complex_tensor_is_never_cast_to_a_real_one(evidence: Evidence) -> None:
    cell = msgspec.structs.replace(evidence.cell("aten::relu"), dtype="complex64", verdict="dtype")
    hint = hint_for(cell, evidence, TracedCall(op="aten::relu", inputs=("complex64",)))
    assert hint == "move its tensors to the CPU for this call: .cpu()"


def test_what_is_given_no_tensor_is_made_on_the_cpu(evidence: Evidence) -> None:
    call = TracedCall(op="aten::_eigh", within="logspace")
    assert "make it on the CPU: torch.logspace(…).to(device)" in hint_for(evidence.cell("aten::_eigh"), evidence, call)
