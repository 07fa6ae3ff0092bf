"""What a trace costs: the operators of a backward pass run below the functions, as those of a forward pass do."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import cloudpickle

from torchstone.checking.building import build_of_target
from torchstone.checking.rewriting import Rewriting, function_name
from torchstone.checking.tracing import Question, trace_step
from torchstone.processes import Limits, run_spawned

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # no child could import the tests
MODELS = Path(__file__).with_name("models_to_check.py")


def functions_going_back() -> str:
    """In a process of its own, since a trace changes torch for good."""
    rewrite, called = Rewriting.__torch_function__, []

    def note(mode: Any, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if mode._recorder.places.phase == "backward":
            called.append(function_name(function))
        return rewrite(mode, function, types, args, kwargs)

    Rewriting.__torch_function__ = note  # type: ignore[method-assign, assignment]
    trace = trace_step(build_of_target(f"{MODELS}:plain", None), Question("mps", train=True))
    assert trace.stop is None, trace.stop
    return " ".join(called)


def test_operators_of_a_backward_pass_run_below_the_functions() -> None:
    outcome = run_spawned(functions_going_back, Limits(seconds=120.0), returns=str)
    assert str(outcome.value).startswith("Tensor.backward "), outcome
    assert "aten." not in str(outcome.value)
    assert "Tensor.dtype" not in str(outcome.value)


def test_triton_is_not_loaded_for_a_trace_and_can_be_later() -> None:
    code = (
        "import sys; from torchstone.checking.tracing import _load_compiler; _load_compiler();"
        "print('torch._dynamo' in sys.modules, 'triton' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]
