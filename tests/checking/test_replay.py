"""Replay on the pretend device: the wrong op is named with its line, and a right device is left in peace."""

from pathlib import Path

import pytest

import planted_models
from torchstone.checking.building import build_of_target
from torchstone.checking.calls import record
from torchstone.checking.replay import replay

BUILD = build_of_target(f"{planted_models.__file__}:token_mixer", None)
BENCHMARKS = str(Path(planted_models.__file__).parent)


@pytest.mark.parametrize(("knobs", "wrong"), [("plants:gelu_strided", ["aten::gelu"]), ("{}", [])])
def test_the_wrong_op(knobs: str, wrong: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHSTONE_PRETEND_KNOBS", knobs)
    monkeypatch.syspath_prepend(BENCHMARKS)
    record(*BUILD(), tmp_path, False)
    found = replay(tmp_path, "pretend")
    assert len(found) > 5
    assert [one.subject for one in found if one.verdict != "runs"] == wrong
    line = next(one for one in planted_models.MODELS if one.name == "token_mixer").line
    assert all(one.source.endswith(f"planted_models.py:{line}") for one in found if one.verdict == "wrong")
