"""A person's own model: every form of TARGET, and every mistake with a sentence that says what to do."""

import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import cloudpickle
import pytest
import torch
from torch import Tensor

from torchstone.errors import UserError
from torchstone.models.naming import require_target
from torchstone.models.target import Target, load_target

SOURCE = """
import sys
import torch
from torch import nn
print("hello from the target")

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 2)
    def forward(self, values):
        return self.linear(values)

class Wide(Net):
    def __init__(self, width):
        super().__init__()

class Pair(Net):
    def forward(self, left, right):
        return left + right

class Broken(Net):
    def __init__(self):
        raise ValueError("no such\\nlayer")

class Plain:
    pass

instance = Net()
number = 3

def two(): return Net(), (torch.ones(1, 4),)
def single(): return Net(), torch.ones(1, 4)
def three(): return Pair(), (torch.ones(2),), {"right": torch.ones(2)}
def only_model(): return Net()
def nothing(): pass
def four(): return 1, 2, 3, 4
def not_a_model(): return len, (torch.ones(1),)
def with_dict(): return Net(), {"values": torch.ones(1, 4)}
def with_number(): return Net(), 5
def bad_kwargs(): return Net(), (), [1]
def needs(width, *rest, depth): return Net(), ()
def leaves(): sys.exit(3)
def fails():
    rows = []
    return rows[7]
def inside_torch():
    return torch.ones(2, 3) @ torch.ones(2, 3)
class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no words")
def gives_up(): raise KeyboardInterrupt
def mute(): raise Mute
def double(): return Net().double()
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    before, path_before = set(sys.modules), list(sys.path)
    path = tmp_path / "mynet.py"
    path.write_text(SOURCE)
    yield path
    sys.path[:] = path_before
    for name in set(sys.modules) - before:
        if "torchstone_target" in name or name.startswith("their"):
            del sys.modules[name]


def error(target: str, input_shape: str | None = None) -> UserError:
    with pytest.raises(UserError) as caught:
        load_target(target, input_shape)
    assert caught.value.hint
    assert "\n" not in caught.value.message
    return caught.value


def output(target: Target) -> Tensor:
    result: Tensor = target.model(*target.inputs.args, **target.inputs.kwargs)
    return result


@pytest.mark.parametrize("name", ["two", "single", "three"])
def test_functions(name: str, file: Path) -> None:
    assert output(load_target(f"{file}:{name}")).shape[-1] == 2


@pytest.mark.parametrize("name", ["Net", "instance", "only_model"])
def test_modules_with_a_shape(name: str, file: Path) -> None:
    target = load_target(f"mynet.py:{name}", "3x4")
    assert target.name == f"mynet.py:{name}"
    assert output(target).shape == (3, 2)


def test_a_made_input_has_the_dtype_of_the_weights(file: Path) -> None:
    assert output(load_target("mynet.py:double", "3x4")).dtype is torch.float64


def test_the_seed_decides_weights_and_inputs(file: Path) -> None:
    first, again, other = (load_target("mynet.py:Net", "3x4", seed=seed) for seed in (1, 1, 2))
    assert torch.equal(output(first), output(again))
    assert not torch.equal(output(first), output(other))


def test_a_module_by_its_dotted_name(file: Path) -> None:
    package = file.parent / "theirpackage"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "models.py").write_text(SOURCE)
    assert output(load_target("theirpackage.models:two")).shape == (1, 2)


def test_a_file_in_the_current_folder_is_a_module_too(file: Path) -> None:
    file.rename("theirmodule.py")
    assert output(load_target("theirmodule:two")).shape == (1, 2)


def test_files_beside_it_can_be_imported_then_and_later(file: Path) -> None:
    (file.parent / "theirpart.py").write_text("width = 4")
    (file.parent / "theirlate.py").write_text("scale = 2.0")
    text = SOURCE.replace("import sys\n", "import sys\nimport theirpart\n", 1)
    text = text.replace("return self.linear(values)", "import theirlate; return theirlate.scale * values")
    file.write_text(text)
    before = list(sys.path)
    assert float(output(load_target(f"{file}:two")).sum()) == 8.0
    assert sys.path[: len(before)] == before


def test_what_it_prints_leaves_stdout_alone(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load_target("mynet.py:two")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "hello from the target" in captured.err


def test_it_can_be_sent_to_a_fresh_process(file: Path) -> None:
    packed = cloudpickle.dumps(load_target("mynet.py:two"))
    del sys.modules["torchstone_target_mynet"]
    assert output(pickle.loads(packed)).shape == (1, 2)


@pytest.mark.parametrize(
    ("target", "message", "hint"),
    [
        ("", "does not say which model", "TARGET is"),
        ("mynet.py", "does not say which model", "mynet.py:NAME"),
        ("resnet50", "does not say which model", "zoo:resnet50"),
        ("mynet.py:", "does not name a function", "TARGET is"),
        (":two", "does not name a function", "TARGET is"),
        ("mynet.py:two()", "does not name a function", "TARGET is"),
        ("mynett.py:two", "there is no file mynett.py", "did you mean mynet.py?"),
        ("far/away.py:two", "there is no file far/away.py", "looked for from"),
        ("./:two", "there is no file", "folder"),
        ("no_such_package.models:two", "there is no module", "install it"),
        ("mynet-2:two", "neither a file nor a module", ".py"),
        ("mynet.py:tow", "has no 'tow'", "did you mean two?"),
        ("mynet.py:zzzzzzz", "has no 'zzzzzzz'", "it has: Net"),
        ("mynet.py:fails", "line 46: IndexError: list index out of range: `return rows[7]`", "mend that line"),
        ("mynet.py:inside_torch", "line 48: RuntimeError", "mend that line"),
        ("mynet.py:leaves", "exit(3) was called", "must return the model"),
        ("mynet.py:gives_up", "KeyboardInterrupt", "mend that line"),
        ("mynet.py:mute", "Mute: (its message cannot be shown)", "mend that line"),
        ("mynet.py:Broken", "ValueError: no such layer", "mend that line"),
        ("mynet.py:nothing", "returned nothing (None)", "def target()"),
        ("mynet.py:four", "returned a tuple of 4", "def target()"),
        ("mynet.py:not_a_model", "where the model should stand", "def target()"),
        ("mynet.py:with_dict", "a dict where the positional", "model, (), kwargs"),
        ("mynet.py:with_number", "a int as the model's arguments", "def target()"),
        ("mynet.py:bad_kwargs", "a list of 1 as keyword arguments", "dict"),
        ("mynet.py:needs", "needs arguments: width, depth", "def target()"),
        ("mynet.py:Wide", "needs arguments: width", "def target()"),
        ("mynet.py:Plain", "not one of nn.Module", "def target()"),
        ("mynet.py:number", "is a int: neither a model nor a function", "def target()"),
        ("mynet.py:Net", "not what to call it with", "--input 1x3x224x224"),
        ("mynet.py:instance", "not what to call it with", "--input 1x3x224x224"),
        ("zoo:resnet5", "no model 'resnet5' in the zoo", "did you mean zoo:resnet50?"),
        ("zoo:", "no model '' in the zoo", "the zoo has"),
    ],
)
def test_misuse(target: str, message: str, hint: str, file: Path) -> None:
    found = error(target)
    assert message in found.message
    assert hint in found.hint


@pytest.mark.parametrize(
    ("target", "shape", "message"),
    [
        ("mynet.py:Net", "3xfour", "is not a shape"),
        ("mynet.py:Net", "3x-4", "has a size of -4"),
        ("mynet.py:Pair", "3x4", "cannot be called with one input: missing a required argument: 'right'"),
        ("mynet.py:two", "3x4", "returns its own inputs"),
        ("zoo:alexnet", "3x4", "brings its own inputs"),
    ],
)
def test_misuse_of_the_shape(target: str, shape: str, message: str, file: Path) -> None:
    assert message in error(target, shape).message


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("x = 1\ndef two(:\n    pass\n", "line 2: invalid syntax: `def two(:`", "mend that line"),
        ("two = 1\n1 / 0\n", "line 2: ZeroDivisionError: division by zero: `1 / 0`", "mend that line"),
        ("import no_such_library as two\n", "No module named 'no_such_library'", "install no_such_library"),
        ("import sys as two\ntwo.exit('bye')\n", "exit('bye') was called", "__main__"),
        ("\x00", "null bytes", "mend that line"),
        ("", "has no 'two'", "it defines no function or class"),
    ],
)
def test_files_that_cannot_be_imported(text: str, message: str, hint: str, file: Path) -> None:
    file.write_text(text)
    found = error("mynet.py:two")
    assert message in found.message
    assert hint in found.hint


@pytest.mark.parametrize("text", ["from os.path import *\n", "globals()['t' + 'wo'] = lambda: None\n"])
def test_a_name_that_may_come_from_elsewhere_is_left_to_python(text: str, file: Path) -> None:
    file.write_text(text)
    require_target("mynet.py:two")


def test_a_mistyped_target_is_told_without_torch(file: Path) -> None:
    code = "import sys, torchstone.models.naming; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    with pytest.raises(UserError, match="has no 'absent'"):
        require_target("mynet.py:absent")


def test_zoo() -> None:
    target = load_target("zoo:efficientnet_lite0", batch=2)
    assert target.weights == "pre-trained"
    with torch.inference_mode():
        assert output(target).shape == (2, 1000)
