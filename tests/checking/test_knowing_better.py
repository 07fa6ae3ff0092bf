"""What a trace alone does not show: second derivatives, CI's word on a whole function, values that are known."""

from pathlib import Path

import pytest
import torch

from torchstone.checking.answer import Answer
from torchstone.checking.building import build_of_target
from torchstone.checking.preflight import preflight
from torchstone.ops.wheels import numbers_of

pytestmark = pytest.mark.usefixtures("traces_are_forked")
MODELS = Path(__file__).with_name("models_to_check.py")
READ = pytest.mark.skipif(numbers_of(torch.__version__) >= (2, 14), reason="of a later torch it is not known")


def foretell(name: str, train: bool = False, device: str = "mps") -> Answer:
    return preflight(build_of_target(f"{MODELS}:{name}", None), device, train=train)


def line_of(comment: str) -> int:
    lines = MODELS.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# {comment}"))


@READ
@pytest.mark.parametrize(
    ("name", "subject", "words"),
    [
        ("penalty_pooled", "aten::max_pool2d_backward", "is not infinitely differentiable"),
        ("penalty_recurrent", "aten::lstm_mps_backward", "derivative for lstm_mps_backward is not implemented"),
    ],
)
def test_what_the_device_does_not_differentiate_twice(name: str, subject: str, words: str) -> None:
    answer = foretell(name, train=True)
    (problem,) = answer.problems
    assert (answer.verdict, problem.subject, problem.phase) == ("will_not_run", subject, "backward")
    assert problem.source.endswith(f":{line_of('differentiated twice')}")
    assert words in problem.reason


@pytest.mark.parametrize(
    ("name", "train"), [("penalty_pooled", False), ("penalty_averaged", True), ("penalty_indexed", True)]
)
def test_what_it_does_differentiate(name: str, train: bool) -> None:
    """Once; and twice what CI tests so, among them what the hint names."""
    assert foretell(name, train=train).verdict == "runs"


@READ
def test_a_power_that_passes_and_one_of_which_nothing_is_known() -> None:
    (problem,) = foretell("complex_powers").problems
    assert (problem.verdict, problem.subject, problem.likely) == ("unknown", "aten::pow", "dtype")
    assert problem.source.endswith(f":{line_of('cubed')}")


@pytest.mark.parametrize("name", ["complex_product", "windows", "causal", "lengths"])
def test_what_runs(name: str) -> None:
    answer = foretell(name)
    assert (answer.verdict, answer.problems) == ("runs", ())


@pytest.mark.parametrize(
    ("name", "subject"), [("windows_half", "stft"), ("transposed_bfloat16", "nn.functional.conv_transpose2d")]
)
def test_a_function_that_ci_expects_to_fail_in_a_dtype_is_unknown(name: str, subject: str) -> None:
    answer = foretell(name)
    (problem,) = answer.problems
    assert (answer.verdict, problem.subject, problem.likely) == ("unknown", subject, "dtype")


@READ
@pytest.mark.parametrize(
    ("name", "device", "verdict"),
    [
        ("spectrum_half", "mps", "will_not_run"),
        ("spectrum_cast", "mps", "will_not_run"),
        ("spectrum_half", "cuda", "unknown"),
    ],
)
def test_a_dtype_that_the_cpu_lacks_is_no_proof_against_a_device(name: str, device: str, verdict: str) -> None:
    """But torch has half precision transforms for CUDA alone."""
    answer = foretell(name, device=device)
    (problem,) = answer.problems
    assert (answer.verdict, problem.reason) == (verdict, "Unsupported dtype Half")
    assert problem.source.endswith(f":{line_of('spectrum')}")
    assert (".float()" in problem.hint) == (device == "mps")


def test_a_value_that_was_written_over_is_not_known() -> None:
    answer = foretell("written_lengths")
    (problem,) = answer.problems
    assert (answer.verdict, problem.subject) == ("unknown", "aten::_local_scalar_dense")
    assert "whether a branch depends on it is not known" in problem.reason
