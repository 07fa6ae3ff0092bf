"""`torchstone check` as a person or a CI job runs it."""

import json
from pathlib import Path

import pytest

import torchstone
from torchstone import cli

FIELDS = {"subject", "verdict", "tier", "phase", "dtypes", "calls", "module", "modules", "source", "hint"}
MODELS = Path(__file__).parents[1] / "checking" / "models_to_check.py"


def test_the_screen_of_a_clean_model_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", f"{MODELS}:plain", "--device", "mps", "--train"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].endswith("on mps: runs")
    assert len(out) < 25


def test_a_no_says_what_where_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", f"{MODELS}:eigen"]) == 1
    out = capsys.readouterr().out
    for words in ("aten::linalg_eig", "models_to_check.py:", "in module 1, forward", "do:    move the matrix"):
        assert words in out


def test_one_json_document(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTORCH_ENABLE_MPS_FALLBACK", "1")
    assert cli.run(["check", f"{MODELS}:eigen", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    wanted = {"schema", "command", "verdict", "device", "stage", "findings", "peak_memory_bytes", "first_divergence"}
    assert told.keys() == {*wanted, "notes"}
    assert (told["verdict"], told["device"], told["stage"]) == ("falls_back", "mps", "preflight")
    assert all(one.keys() == FIELDS for one in told["findings"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((f"{MODELS}:absent",), "has no 'absent'"),
        ((f"{MODELS}:Plain",), "not what to call it with"),
        (("no_such_file.py:x",), "there is no file"),
        ((f"{MODELS}:plain", "--device", "abacus"), "no device 'abacus'"),
        ((f"{MODELS}:plain", "--stage", "x"), "'x' is not"),
    ],
)
def test_misuse(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["check", *arguments]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "hint: " in said


def test_from_python() -> None:
    import torch

    answer = torchstone.check(torch.nn.Linear(3, 3), torch.ones(2, 3), device="mps", strict=True)
    assert answer.verdict == "runs"
