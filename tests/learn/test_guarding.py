"""What the guards around a learner's call see: changed arguments, modes, threads, forks, loops, prying."""

from pathlib import Path

import pytest
import torch
from tests.learn.conftest import FailureOf, MakeAnswer
from torch import nn

from torchstone.learn.catalog import Exercise, find_exercise, find_exercises
from torchstone.learn.grader import Grader
from torchstone.learn.grading import expect_no_trace, expect_no_waits, expect_same_ops, in_place, only_values_change
from torchstone.learn.grading.hooks import follow_threads
from torchstone.learn.grading.keeping import Aspect, same_values
from torchstone.learn.grading.session import Session
from torchstone.learn.promises import find_faults, promises_of, sentences_of
from torchstone.learn.prying import find_prying

CHANGES = {
    "emptied": ("x.clear()", [torch.ones(1), torch.ones(1)], "it had 2 items and has 0"),
    "sorted": ("x.reverse()", [torch.ones(1), torch.zeros(1)], "its item 0 is another object"),
    "copies put in": ("x[0] = x[0].clone()", [torch.ones(1)], "its item 0 is another object"),
    "a key taken out": ("x.pop('a')", {"a": torch.ones(1), "b": torch.ones(1)}, "it had 2 items and has 1"),
    "another order": ("x['a'] = x.pop('a')", {"a": torch.ones(1), "b": torch.ones(1)}, "in another order"),
    "deep inside": ("x['a'][0].add_(1)", {"a": [torch.ones(1)]}, "in its item 'a' in its item 0 its values are others"),
    "a number": ("x[0] = 2", [1, 2], "is another object"),
    "a flag": ("x.requires_grad_()", torch.ones(2), "requires_grad is True"),
    "a hook": ("x.register_hook(print)", torch.ones(2, requires_grad=True), "had 0 hooks and has 1"),
    "a mode": ("x.eval()", nn.Linear(1, 1), "is left in eval mode"),
    "a module's hook": ("x.register_forward_hook(print)", nn.Linear(1, 1), "it has 1 hook more than before"),
    "a hook less": ("x._forward_hooks.clear()", nn.Linear(1, 1), "it has 1 hook fewer than before"),
    "a hook of another kind": (
        "x._forward_hooks.clear(); x.register_forward_pre_hook(print)",
        nn.Linear(1, 1),
        "it has other hooks than before",
    ),
    "a gradient cleared": ("x.zero_grad()", nn.Linear(1, 1), "the gradient of its weight"),
    "a module's numbers": ("x.weight.data.add_(1)", nn.Linear(1, 1), "the values of its weight are others"),
    "a gradient": ("x(torch.ones(1, 1)).sum().backward()", nn.Linear(1, 1), "the gradient of its weight"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_argument_is_seen(name: str, make_answer: MakeAnswer, failure_of: FailureOf) -> None:
    line, value, said = CHANGES[name]
    answer = make_answer(f"def f(x):\n    {line}\n")
    assert said in failure_of(lambda: answer.f(value)).message


@pytest.mark.parametrize(
    ("line", "said", "declared"),
    [
        ("x.eval()", "is left in eval mode", "modes"),
        ("x.requires_grad_(False)", "requires_grad of its 0.weight is False now", "flags"),
        ("x[0] = torch.nn.Linear(1, 1)", "its layers are others", "layers"),
        ("x[0].weight = torch.nn.Parameter(torch.ones(1, 1))", "its parameters are others", "layers"),
        ("x._forward_hooks.clear()", "it has 1 hook fewer than before", "hooks"),
    ],
)
def test_in_place_is_for_numbers_and_gradients(
    line: str, said: str, declared: Aspect, make_answer: MakeAnswer, failure_of: FailureOf
) -> None:
    train = "x(torch.ones(1, 1)).sum().backward(); x[0].weight.data.add_(1)"
    answer = make_answer(f"def f(x):\n    {train}\n    {line}\n")
    made = nn.Sequential(nn.Linear(1, 1))
    assert said in failure_of(lambda: in_place(answer.f)(made)).message
    in_place(answer.f, also=(declared,))(nn.Sequential(nn.Linear(1, 1)))


def test_what_is_given_comes_back_without_our_own_hook_and_gradient(make_answer: MakeAnswer) -> None:
    given = nn.Linear(1, 1)
    with torch.no_grad():
        copied = make_answer("def f(x):\n    return x(torch.ones(1, 1))\n").f(given)
    assert copied.shape == (1, 1)
    assert not given._forward_hooks
    assert given.weight.grad is None
    with pytest.raises(ZeroDivisionError):
        make_answer("def f(x):\n    1 / 0\n").f(given)
    assert not given._forward_hooks
    assert given.weight.grad is None


def test_only_what_may_change_does(make_answer: MakeAnswer, failure_of: FailureOf) -> None:
    answer = make_answer("def f(x, y):\n    x.clear()\n    y.clear()\n")
    in_place(answer.f)([1], [2])
    assert "'y'" in failure_of(lambda: in_place(answer.f, 0)([1], [2])).message


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("torch.set_grad_enabled(False)", "gradient mode"),
        ("torch.manual_seed(0)", "initial seed"),
        ("torch.set_default_dtype(torch.float64)", "default dtype"),
    ],
)
def test_a_mode_that_is_left_is_seen(line: str, said: str, make_answer: MakeAnswer, failure_of: FailureOf) -> None:
    before = torch.get_default_dtype()
    torch.manual_seed(1)  # another test in this process may have left the very seed that the answer sets
    answer = make_answer(f"def f():\n    {line}\n")
    try:
        assert said in failure_of(lambda: answer.f()).message
    finally:
        torch.set_grad_enabled(True)
        torch.set_default_dtype(before)


def test_values_are_the_same_in_structure_too() -> None:
    assert same_values([1, torch.ones(1)], [1, torch.ones(1)])
    assert not same_values([1], [1, 2])
    assert not same_values({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not same_values(torch.tensor([torch.inf]), torch.tensor([3.4028e38]))


def test_a_trace_is_found_whoever_calls(make_answer: MakeAnswer, failure_of: FailureOf) -> None:
    answer = make_answer(
        "def thaws(net, x):\n    net.requires_grad_(False)\n    net.requires_grad_(True)\n"
        "def switches(net, x):\n    torch.set_grad_enabled(True)\n"
        "def looks(net, x):\n    return net(x).detach()\n"
    )
    net, x = nn.Linear(2, 2), torch.ones(1, 2)
    expect_no_trace(answer.looks, net, x)
    assert "requires_grad of its weight" in failure_of(lambda: expect_no_trace(answer.thaws, net, x)).message
    assert "gradient mode" in failure_of(lambda: expect_no_trace(answer.switches, net, x)).message


def test_numbers_may_change_and_nothing_else(failure_of: FailureOf) -> None:
    net = nn.Linear(1, 1)
    with only_values_change(net):
        nn.init.zeros_(net.weight)

    def replace() -> None:
        with only_values_change(net):
            net.weight = nn.Parameter(torch.ones(1, 1))

    assert "its parameters are others" in failure_of(replace).message


@pytest.mark.parametrize(
    "body",
    [
        "return [float(v) * 2 for v in x]",
        "total = 0.0\n    for v in x.tolist():\n        total += v\n    return total",
        "return sum(x.numpy())",
    ],
)
def test_loops_that_dispatch_nothing_are_not_lean(body: str, make_answer: MakeAnswer, failure_of: FailureOf) -> None:
    answer = make_answer(f"def f(x):\n    {body}\n")
    failure = failure_of(lambda: expect_same_ops(answer.f, (torch.ones(8),), (torch.ones(16),)))
    assert "ops" in failure.message or "lines of Python" in failure.message or "numbers back" in failure.message


def test_one_number_may_be_read(make_answer: MakeAnswer) -> None:
    answer = make_answer("def f(x):\n    return x * x.max().item()\n")
    expect_same_ops(answer.f, (torch.ones(8),), (torch.ones(16),))


def test_a_copy_on_the_host_is_read_without_waiting(make_answer: MakeAnswer, failure_of: FailureOf) -> None:
    answer = make_answer("def f(x):\n    on_host = x.cpu()\n    return on_host.tolist(), on_host[0].item()\n")
    expect_no_waits(answer.f, torch.ones(3), at_most=1)
    assert "wait" in failure_of(lambda: expect_no_waits(answer.f, torch.ones(3))).message


@pytest.mark.parametrize(
    "body",
    [
        "from concurrent.futures import ThreadPoolExecutor\n"
        "    return ThreadPoolExecutor(1).submit(torch.cdist, points, others).result().square()",
        "import os\n    if os.fork() == 0:\n        torch.cdist(points, others)\n        os._exit(0)\n"
        "    os.wait()\n    return (points[:, None] - others).square().sum(-1)",
        "import subprocess\n    subprocess.run(['true'])\n    return (points[:, None] - others).square().sum(-1)",
        "return torch.ops.aten.cdist(points, others).square()",
        "return getattr(torch, 'cd' + 'ist')(points, others) ** 2",
    ],
    ids=["thread", "fork", "program", "operator", "spelled"],
)
def test_what_is_forbidden_is_seen_everywhere(grader: Grader, tmp_path: Path, body: str) -> None:
    exercise = find_exercise("pairwise", find_exercises())
    source = f"import torch\n\n\ndef squared_distances(points, others):\n    {body}\n".encode()
    path = tmp_path / "03_pairwise.py"
    verdict = grader.grade(exercise, path, source)
    assert not verdict.solved
    said = verdict.failures[0].message
    assert "rules out" in said or "another program" in said


@pytest.mark.parametrize(
    "line",
    [
        "import torchstone.learn.grading.session",
        "from torchstone.learn import catalog",
        "import sys\nsys.modules['torchstone_grade']",
        "import sys\nsys._getframe(1)",
        "import gc\ngc.get_objects()",
        "name = 'torchstone.learn.grading'",
    ],
)
def test_prying_is_named(line: str) -> None:
    failure = find_prying(line.encode())
    assert failure is not None
    assert "reaches into the grader" in failure.message


def test_a_file_that_minds_its_own_business_does_not_pry() -> None:
    assert find_prying(b"import torch, sys\nprint(sys.version, torch.nn.Module().modules())\n") is None


def test_reading_the_solution_is_named(grader: Grader, first_tensors: Exercise, tmp_path: Path) -> None:
    folder = str(first_tensors.folder)
    source = f"from pathlib import Path\nexec((Path({folder!r}) / ('solu' + 'tion.py')).read_text())\n".encode()
    verdict = grader.grade(first_tensors, tmp_path / "01_first_tensors.py", source)
    assert "opened solution.py" in verdict.failures[0].message


def test_what_is_solved_on_the_cpu_runs_elsewhere_too(grader: Grader, tmp_path: Path) -> None:
    exercise = find_exercise("collate", find_exercises())
    right = exercise.solution.read_text()
    wrong = right.replace("device=", "device='cpu' or ")
    assert wrong != right
    path = tmp_path / "01_collate.py"
    assert grader.grade(exercise, path, right.encode()).solved
    verdict = grader.grade(exercise, path, wrong.encode())
    assert verdict.checks[-1].name == "on_another_device"
    assert "not on another device" in verdict.failures[0].message


def test_a_breakpoint_is_passed_over(grader: Grader, first_tensors: Exercise, tmp_path: Path) -> None:
    source = first_tensors.solution.read_text().replace("    return (image", "    breakpoint()\n    return (image")
    verdict = grader.grade(first_tensors, tmp_path / "01_first_tensors.py", source.encode())
    assert verdict.solved
    assert verdict.output.count("learn debug") == 1


def test_threads_are_hooked_once_they_are_followed(fresh_session: Session) -> None:
    import _thread
    import threading

    before = _thread.start_new_thread, threading._start_new_thread  # type: ignore[attr-defined]
    try:
        follow_threads()
        seen: list[int] = []
        worker = threading.Thread(target=lambda: seen.append(int(torch.ones(2).sum())))
        worker.start()
        worker.join()
        assert seen == [2]
    finally:
        _thread.start_new_thread, threading._start_new_thread = before  # type: ignore[attr-defined]


def test_sentences_of_a_task() -> None:
    task = "# Title\n\nIt returns a tensor. It must not\nchange its input.\n\n- `f(x)`: zeros.\n\n    code\n"
    assert sentences_of(task) == ["It returns a tensor.", "It must not change its input.", "`f(x)`: zeros."]


def test_every_promise_has_a_case(tmp_path: Path) -> None:
    folder = tmp_path / "01_demo" / "01_f"
    (folder / "wrong").mkdir(parents=True)
    (folder / "task.md").write_text("# F\n\nThe result is never negative. The input must stay as it is.\n")
    (folder / "grade.py").write_text('PROMISES = {"must stay as it is": "stays"}\n')
    (folder / "wrong" / "below.py").write_text('# rejected by: positive: zero\n# "never negative": it is below\n')
    exercise = Exercise(folder)
    first, second = promises_of(exercise)
    assert (first.answers, first.checks) == (("below",), ("positive",))
    assert second.checks == ("stays",)
    assert list(find_faults(exercise, {"positive", "stays"})) == []
    assert "names a check 'stays'" in next(find_faults(exercise, {"positive"}))
    (folder / "wrong" / "below.py").unlink()
    assert "no wrong answer breaks this promise" in next(find_faults(exercise, {"positive", "stays"}))
