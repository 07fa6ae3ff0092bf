"""Preflight: real traces of small models, in processes of their own, judged by the installed torch's tables."""

import importlib.util
import sys
from pathlib import Path

import pytest
import torch

from torchstone.checking.answer import Answer, CheckFinding
from torchstone.checking.building import build_of_model, build_of_target
from torchstone.checking.preflight import preflight
from torchstone.errors import UserError
from torchstone.ops.wheels import numbers_of

pytestmark = pytest.mark.usefixtures("traces_are_forked")
MODELS = Path(__file__).with_name("models_to_check.py")

OF_2_13 = pytest.mark.skipif(numbers_of(torch.__version__) >= (2, 14), reason="of a later torch it is not known")


def foretell(name: str, train: bool = False) -> Answer:
    return preflight(build_of_target(f"{MODELS}:{name}", None), "mps", train=train)


def line_of(comment: str) -> int:
    lines = MODELS.read_text(encoding="utf-8").splitlines()
    (found,) = [number for number, line in enumerate(lines, 1) if line.endswith(f"# {comment}")]
    return found


def stands_at(finding: CheckFinding, comment: str) -> bool:
    return finding.source.endswith(f"{MODELS.name}:{line_of(comment)}")


RUNNING = [
    "recurrent",
    "attention",
    "names_mps",
    "views",
    "compiled",
    "parallel",
    "hosts_own",
    "hosts_number",
    "validated",
    "gated",
    "casts_on_the_host",
    "catches_what_is_raised",
    "forks_chance",
    "tells_variances",
    "long_sound",
]


@pytest.mark.parametrize("name", RUNNING)
def test_what_runs(name: str) -> None:
    answer = foretell(name)
    assert (answer.verdict, answer.problems) == ("runs", ())
    assert answer.peak_memory_bytes is not None


@pytest.mark.parametrize(
    ("name", "verdict", "module", "words"),
    [
        ("keeps_double", "will_not_run", "count", "MPS has no float64"),
        pytest.param("keeps_sparse", "will_not_run", "count", "new_compressed_tensor", marks=OF_2_13),
        ("hidden_on_the_host", "will_not_run", "cells", "are not at the same device"),
    ],
)
def test_what_must_get_there_first(name: str, verdict: str, module: str, words: str) -> None:
    answer = foretell(name)
    (found,) = answer.problems
    assert (answer.verdict, found.verdict, found.module) == (verdict, verdict, module)
    assert words in str(found.reason)


def test_a_sparse_tensor_is_not_judged_as_a_dense_one() -> None:
    answer = foretell("makes_sparse")
    assert answer.verdict == "unknown"
    made, used = answer.problems
    assert (stands_at(made, "made sparse"), stands_at(used, "used sparse")) == (True, True)
    assert all("float32:sparse_coo" in one.dtypes for one in answer.problems)


@pytest.mark.skipif(numbers_of(torch.__version__) >= (2, 15), reason="of a later torch it is not known")
def test_a_compressed_sparse_tensor_is_never_made() -> None:
    answer = foretell("uses_sparse")
    assert answer.verdict == "will_not_run"
    assert {one.phase for one in answer.problems} == {"moving", "forward"}
    assert all("new_compressed_tensor" in one.reason for one in answer.problems)


@OF_2_13
@pytest.mark.parametrize(
    ("name", "verdict", "comment", "words"),
    [
        ("always_drops_out", "will_not_run", "drops out", "does not support dropout"),
        ("large_qr", "falls_back", "large qr", "falling back to CPU"),
    ],
)
def test_what_a_kernel_says_to_a_call(name: str, verdict: str, comment: str, words: str) -> None:
    answer = foretell(name)
    (problem,) = answer.problems
    assert (answer.verdict, problem.verdict, stands_at(problem, comment)) == (verdict, verdict, True)
    assert words in problem.reason


@OF_2_13
def test_attention_that_learns_is_made_of_others() -> None:
    assert foretell("always_drops_out_and_learns", train=True).verdict == "runs"


def test_a_training_step_has_all_its_phases() -> None:
    answer = foretell("plain", train=True)
    assert answer.verdict == "runs"
    assert {one.phase for one in answer.findings} == {"forward", "backward", "clipping", "optimizer"}
    (back,) = [one for one in answer.findings if one.subject == "aten::native_layer_norm_backward"]
    assert back.module == "inner.1"
    assert back.source.split(":")[0].endswith(MODELS.name)
    # Weights, gradients and the two moments of 88 numbers each, and the activations.
    assert answer.peak_memory_bytes is not None
    assert answer.peak_memory_bytes >= 4 * 88 * 4


def test_a_missing_op_is_named_with_module_and_line() -> None:
    answer = foretell("eigen")
    assert answer.verdict == "will_not_run"
    (problem,) = answer.problems
    assert (problem.subject, problem.module, problem.phase) == ("aten::linalg_eig", "1", "forward")
    assert stands_at(problem, "eig")
    assert "PYTORCH_ENABLE_MPS_FALLBACK" in problem.hint


def test_float64_is_refused_where_it_is_asked_for() -> None:
    answer = foretell("double")
    assert answer.verdict == "will_not_run"
    assert all(stands_at(one, "double") and ".float()" in one.hint for one in answer.problems)


def test_a_float64_that_the_host_moves_as_it_is_is_refused() -> None:
    answer = foretell("moves_double")
    assert answer.verdict == "will_not_run"
    assert all(stands_at(one, "moves double") for one in answer.problems)


@OF_2_13
def test_a_float64_that_is_fetched_is_cast_on_the_device() -> None:
    answer = foretell("fetches_double")
    (problem,) = answer.problems
    assert (answer.verdict, stands_at(problem, "fetches double")) == ("will_not_run", True)
    assert "Cannot convert a MPS Tensor to float64" in problem.reason
    assert ".cpu().to(dtype)" in problem.hint


def test_a_failure_that_the_model_catches_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = foretell("catches")
    (problem,) = answer.problems
    assert (answer.verdict, problem.subject, stands_at(problem, "tried")) == ("unknown", "aten::linalg_eig", True)
    assert f"{MODELS.name}:{line_of('caught')} may catch that" in problem.reason
    assert "x.device.type" in problem.hint
    monkeypatch.setenv("PYTORCH_ENABLE_MPS_FALLBACK", "1")
    assert foretell("catches").verdict == "falls_back"  # nothing is raised then


def test_a_handler_of_something_else_catches_nothing() -> None:
    assert foretell("catches_another").verdict == "will_not_run"


@pytest.mark.parametrize(
    ("name", "line"),
    [("catches_the_trace", "fails in a trace alone"), ("loops_on_the_trace", "loops and catches")],
)
def test_a_failure_of_the_trace_is_not_taken_for_the_devices(name: str, line: str) -> None:
    answer = foretell(name)
    assert answer.verdict == "unknown"
    assert any(stands_at(one, line) for one in answer.problems)


@pytest.mark.parametrize("name", ["cuda", "elsewhere"])
def test_a_device_named_inside_is_told_with_its_line(name: str) -> None:
    """Whether torch here was built for that device or not."""
    answer = foretell(name)
    assert answer.verdict == "will_not_run"
    assert [(one.module, stands_at(one, name)) for one in answer.problems] == [("1", True)]
    assert "names a device itself" in answer.problems[0].hint


@pytest.mark.parametrize(
    ("name", "subject", "line", "hint"),
    [
        ("numpy", "Tensor.numpy", "numpy", "x.cpu().numpy()"),
        ("noise", "aten::add.Tensor", "mixed", "device=x.device"),
        ("mask", "aten::linear", "attribute", "1.mask is a plain attribute"),
    ],
)
def test_what_stays_on_the_host_is_told_with_its_line(name: str, subject: str, line: str, hint: str) -> None:
    answer = foretell(name)
    assert answer.verdict == "will_not_run"
    (problem,) = answer.problems
    assert (problem.subject, stands_at(problem, line)) == (subject, True)
    assert hint in problem.hint
    assert "mps:0" in problem.reason
    if name == "noise":
        assert f"{MODELS.name}:{line_of('made on the CPU')} " in problem.hint


def test_numpy_of_a_copy_is_a_branch_on_data_at_most() -> None:
    answer = foretell("numpy_of_copy")
    assert answer.verdict == "unknown"
    assert [(one.subject, stands_at(one, "copied")) for one in answer.problems] == [("Tensor.numpy", True)]


@pytest.mark.skipif(numbers_of(torch.__version__) >= (2, 15), reason="since torch 2.15 MPS has eigh")
def test_the_parts_of_what_torch_traces_in_one_piece_are_seen() -> None:
    answer = foretell("hermitian")
    assert answer.verdict == "will_not_run"
    assert any(one.subject == "aten::_linalg_eigh" and stands_at(one, "hermitian") for one in answer.problems)


def test_a_gradient_without_known_shapes_does_not_end_the_trace() -> None:
    answer = foretell("margin", train=True)
    assert answer.verdict == "will_not_run"
    assert {one.phase for one in answer.problems} == {"forward", "backward"}
    assert all(stands_at(one, "margin") for one in answer.problems)


def test_a_branch_on_data_is_unknown() -> None:
    answer = foretell("branch")
    assert answer.verdict == "unknown"
    assert {one.source.rpartition(":")[2] for one in answer.problems} == {str(line_of("item")), str(line_of("mask"))}


def test_a_loop_on_data_comes_to_an_end() -> None:
    answer = foretell("shrinks")
    assert answer.verdict == "unknown"
    (problem,) = answer.problems
    assert (problem.module, stands_at(problem, "loop")) == ("1", True)
    assert "a loop depends on data" in problem.reason


@OF_2_13
def test_a_lstm_with_projections_is_refused_in_its_own_words() -> None:
    (problem,) = foretell("projected").problems
    assert (problem.subject, problem.verdict) == ("aten::_lstm_mps", "will_not_run")
    assert "LSTM with projections is not currently supported with MPS." in problem.reason


def test_a_dtype_that_mps_likely_lacks_is_unknown() -> None:
    (problem,) = foretell("narrow").problems
    assert (problem.verdict, problem.likely, stands_at(problem, "narrow")) == ("unknown", "unsupported", True)
    assert "Trying to convert Float8_e4m3fn to the MPS backend" in problem.reason


@pytest.mark.skipif(numbers_of(torch.__version__) >= (2, 15), reason="since torch 2.15 MPS has eigh")
def test_an_own_backward_has_lines_of_its_own() -> None:
    (problem,) = foretell("own_backward", train=True).problems
    assert (problem.subject, problem.phase) == ("aten::_linalg_eigh", "backward")
    assert stands_at(problem, "own backward")
    assert "torch.linalg.eigvalsh(x.cpu())" in problem.hint


@pytest.mark.skipif(numbers_of(torch.__version__) >= (2, 14), reason="since torch 2.14 MPS has svd")
def test_what_a_fallback_copies() -> None:
    (problem,) = foretell("singular").problems
    assert problem.verdict == "falls_back"
    copied = 4 * (3 * 4 + 3 * 3 + 3 + 4 * 4)  # the matrix, and U, S and Vh
    assert f"copies {copied} bytes there and back" in problem.hint


def test_a_finding_without_a_line_says_so() -> None:
    finding = CheckFinding(subject="aten::eig", verdict="will_not_run", tier="yaml", module="1")
    screen = repr(Answer(verdict="will_not_run", device="mps", stage="preflight", findings=(finding,)))
    assert "where: module 1, forward; not at a line of your own" in screen


def test_weights_of_a_hundred_gigabytes_are_not_made() -> None:
    answer = foretell("huge")
    assert answer.verdict == "runs"
    assert answer.peak_memory_bytes is not None
    assert answer.peak_memory_bytes > 10 * 50_000**2 * 4


@pytest.mark.parametrize(("name", "words"), [("scripted", "is scripted"), ("nothing", "nothing (None)")])
def test_what_cannot_be_checked_is_a_sentence(name: str, words: str) -> None:
    with pytest.raises(UserError, match=words.replace("(", r"\(").replace(")", r"\)")):
        foretell(name)


def test_one_cause_in_every_layer_is_one_finding() -> None:
    problems = foretell("turned_in_each_layer").problems
    causes = [(one.subject, one.reason, one.source) for one in problems]
    assert len(causes) == len(set(causes))
    (moved,) = [one for one in problems if one.phase == "moving"]
    assert (moved.module, moved.modules, moved.calls) == ("0.frequencies", 3, 3)
    (turned,) = [one for one in problems if one.subject == "aten::cos"]
    assert (turned.module, turned.modules, turned.calls) == ("0", 3, 3)


def test_operators_of_complex_tensors_alone_are_judged_in_complex64() -> None:
    answer = foretell("from_complex")
    assert (answer.verdict, answer.problems) == ("runs", ())
    assert "complex64" in next(one for one in answer.findings if one.subject == "aten::_fft_c2r").dtypes


def test_a_check_that_only_raises_is_taken_not_to() -> None:
    answer = foretell("guarded")
    assert (answer.verdict, answer.problems) == ("runs", ())
    assert sum("is taken not to raise" in note for note in answer.notes) == 3
    assert any(one.subject == "aten::mul" for one in answer.findings)


@pytest.mark.parametrize("name", ["frozen", "chosen_classes"])
def test_a_model_without_a_gradient_has_nothing_to_train(name: str) -> None:
    with pytest.raises(UserError, match="nothing to train"):
        foretell(name, train=True)


def test_a_persons_file_is_run_once(tmp_path: Path) -> None:
    count = tmp_path / "count"
    path = tmp_path / "mine.py"
    path.write_text(
        f"import torch\nopen({str(count)!r}, 'a').write('x')\n"
        "def make():\n    return torch.nn.Linear(2, 2), (torch.ones(1, 2),)\n"
    )
    assert preflight(build_of_target(f"{path}:make", None), "mps").verdict == "runs"
    assert count.read_text() == "x"


def test_a_model_that_hangs_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "hangs.py"
    path.write_text("def make():\n    while True:\n        pass\n", encoding="utf-8")
    answer = preflight(build_of_target(f"{path}:make", None), "mps", limit_s=10.0)
    (problem,) = answer.problems
    assert (answer.verdict, problem.subject, problem.phase) == ("unknown", "the model", "building")
    assert problem.source in (f"{path}:2", f"{path}:3")
    assert problem.reason == "it had not ended after 10 s"
    assert "--limit" in problem.hint


def test_a_model_that_is_here_leaves_its_weights_behind() -> None:
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    model[1].weight = model[0].weight
    copied, inputs = build_of_model(model, torch.ones(1, 4), None, light=True)()
    assert all(one.is_meta for one in copied.parameters())
    assert copied[1].weight is copied[0].weight  # type: ignore[index]
    assert not any(one.is_meta for one in model.parameters())
    assert inputs.args[0].shape == (1, 4)
    with pytest.raises(UserError, match="is not a torch"):
        build_of_model(len, (), None, light=True)  # type: ignore[arg-type]


def test_a_layer_that_refuses_tensors_of_two_devices_is_told_with_what_stayed_behind() -> None:
    (problem,) = foretell("keeps_window").problems
    assert (problem.subject, problem.verdict, stands_at(problem, "window")) == (
        "functional.stft",
        "will_not_run",
        True,
    )
    assert "window is a plain attribute" in problem.hint


def test_a_model_that_goes_back_by_itself_is_followed_with_gradients() -> None:
    answer = foretell("learns_by_itself")
    assert (answer.verdict, answer.problems) == ("runs", ())
    assert any("followed with gradients" in note for note in answer.notes)
    assert "backward" in {one.phase for one in answer.findings}


@OF_2_13
def test_what_an_input_holds_decides_sizes_and_a_refusal_is_told_once() -> None:
    answer = foretell("aligns")
    (problem,) = answer.problems
    assert (problem.verdict, stands_at(problem, "aligns")) == ("will_not_run", True)
    assert answer.peak_memory_bytes is not None
    assert answer.peak_memory_bytes >= 50 * 2 * 41 * 4  # of each step and each sequence twice its labels, and one


def test_a_function_that_computes_in_float64_is_told_by_what_does_not() -> None:
    answer = foretell("powers")
    assert answer.verdict == "will_not_run"
    assert all("torch.pow, which keeps the dtype" in one.hint for one in answer.problems)


@pytest.mark.skipif(numbers_of(torch.__version__) >= (2, 14), reason="since torch 2.14 MPS has svd")
def test_a_kind_of_sample_that_fails_speaks_for_its_own_kind() -> None:
    assert {one.subject for one in foretell("pseudo").problems} == {"aten::linalg_svd"}
    assert foretell("pseudo_hermitian").verdict == "will_not_run"


def test_a_size_that_depends_on_values_is_told_as_a_size() -> None:
    answer = foretell("picks")
    (problem,) = answer.problems
    assert (answer.verdict, stands_at(problem, "picks")) == ("unknown", True)
    assert "how many it gives depends on values" in problem.reason
    assert any("its memory rests in part on values" in note for note in answer.notes)


def test_what_an_older_system_refuses_is_noted() -> None:
    assert any("macOS before 15.1 refuses a convolution" in note for note in foretell("long_sound").notes)


def test_a_model_whose_code_cannot_be_imported_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "far_away.py").write_text("import torch\nclass Far(torch.nn.Linear):\n    pass\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("far_away", tmp_path / "far_away.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["far_away"] = module
    try:
        spec.loader.exec_module(module)
        build = build_of_model(module.Far(2, 2), (torch.ones(1, 2),), None, light=True)
        with pytest.raises(UserError, match="No module named 'far_away'"):
            preflight(build, "mps")
    finally:
        del sys.modules["far_away"]
