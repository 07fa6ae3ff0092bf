"""Names that were looked up once refuse a mistake at once; of another torch, or damaged, they are as good as none."""

from pathlib import Path

import platformdirs
import pytest
import torch

from torchstone.errors import UserError
from torchstone.ops.known import keep_known, recall_known, refuse_mistaken
from torchstone.ops.operators import Operator

EXP = Operator("exp", "", "aten::exp", torch.exp, lambda dtype, wants: (), frozenset({torch.float32, torch.int64}))


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / name)
    return tmp_path


def test_without_a_run_before_nothing_is_refused_here() -> None:
    assert recall_known() == ()
    refuse_mistaken(["nosuchop"], ["complex32"])


def test_what_one_run_looked_up_refuses_the_mistakes_of_the_next() -> None:
    keep_known([EXP])
    assert [one.full_name for one in recall_known()] == ["exp"]
    refuse_mistaken(["exp"], ["int64", "complex32"])
    refuse_mistaken([], [])
    with pytest.raises(UserError, match="no operator 'exq'") as told:
        refuse_mistaken(["exq"], [])
    assert "exp" in told.value.hint
    with pytest.raises(UserError, match="does not do exp in complex32") as told:
        refuse_mistaken(["exp"], ["complex32"])
    assert told.value.hint == "dtypes that it does: float32, int64"


def test_of_another_torch_or_damaged_they_are_none(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_known([EXP])
    for path in own_cache.rglob("*.json"):
        path.write_bytes(b"[{")
    assert recall_known() == ()
    for path in own_cache.rglob("*.json"):
        path.unlink()
    keep_known([EXP])
    monkeypatch.setattr(torch, "__version__", "9.9")
    assert recall_known() == ()
