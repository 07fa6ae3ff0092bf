"""What a model does besides answering is noticed, undone and said."""

import sys
import warnings

import pytest
import torch

from torchstone.measuring.side_effects import observed


def test_printing_is_kept_from_stdout_and_counted(capsys: pytest.CaptureFixture[str]) -> None:
    with observed() as seen:
        print("hello")  # noqa: T201
        sys.stdout.write("x")
    assert seen.facts() == {"printed characters": 7}
    assert capsys.readouterr().out == ""


def test_changed_settings_are_restored_and_named() -> None:
    with observed() as seen:
        torch.set_default_dtype(torch.float64)
        torch.set_grad_enabled(False)
    assert torch.get_default_dtype() is torch.float32
    assert torch.is_grad_enabled()
    assert seen.facts() == {
        "changed and restored": "default dtype torch.float32 → torch.float64; gradients True → False"
    }


def test_settings_are_restored_after_an_error() -> None:
    def meddle_and_fail() -> None:
        torch.set_default_dtype(torch.float64)
        raise ValueError("boom")

    with pytest.raises(ValueError, match="boom"), observed():
        meddle_and_fail()
    assert torch.get_default_dtype() is torch.float32


def test_random_numbers_go_on_as_if_nothing_had_drawn() -> None:
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    with observed():
        torch.manual_seed(7)
    assert torch.equal(torch.rand(1), expected)


def test_warnings_are_told_once_and_deprecations_are_not() -> None:
    with observed() as seen:
        for _ in range(3):
            warnings.warn("will fall back to run on the CPU\nmore", stacklevel=1)
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    assert seen.facts() == {"warnings": "will fall back to run on the CPU"}


def test_a_quiet_model_adds_nothing() -> None:
    with observed() as seen:
        torch.ones(1)
    assert seen.facts() == {}
