"""`torchstone devices` as a person runs it."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from torchstone.machine.dtypes import DTYPES
from torchstone.records import Device, Fact, Finding

Program = Callable[..., "subprocess.CompletedProcess[str]"]


class Document(msgspec.Struct, forbid_unknown_fields=True):
    """The JSON that `devices --json` promises."""

    schema: str
    command: str
    devices: list[Device]
    dtypes: dict[str, dict[str, Fact]]
    absent: list[Finding]
    findings: list[Finding]


def test_the_table(program: Program) -> None:
    done = program("devices", COLUMNS="80")
    assert (done.returncode, done.stderr) == (0, "")
    assert "│ cpu" in done.stdout
    assert "float32, float16, bfloat16" in done.stdout
    assert "MPS is Apple's" in done.stdout or "│ mps" in done.stdout
    assert "The doctor" in done.stdout


def test_json_is_all_that_stdout_holds(program: Program) -> None:
    done = program("devices", "--json", OMP_NUM_THREADS="1", PYTORCH_ENABLE_MPS_FALLBACK="1")
    assert (done.returncode, done.stderr) == (0, "")
    said = msgspec.json.decode(done.stdout, type=Document)
    assert (said.schema, said.command) == ("torchstone/1", "devices")
    assert said.devices[0].id == "cpu"
    assert said.devices[0].facts["threads"].value == 1
    assert tuple(said.dtypes["cpu"]) == DTYPES
    assert "PYTORCH_ENABLE_MPS_FALLBACK" in [finding.subject for finding in said.findings]
    assert {device.kind for device in said.devices}.isdisjoint(finding.subject for finding in said.absent)


def test_without_probing(program: Program) -> None:
    done = program("devices", "--no-probe", "--json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["dtypes"] == {}


@pytest.mark.parametrize(
    ("arguments", "environment", "message", "hint"),
    [
        (("--device", "gpu"), {}, "no device 'gpu' here; this machine has: cpu", "`torchstone devices` lists"),
        (("--device", "npu"), {}, "no device 'npu' here", "pip install torch_npu"),
        ((), {"TORCHSTONE_IMPORT": "no_such_package"}, "no_such_package (asked for by", "leave that device out"),
    ],
)
def test_what_is_not_here(
    program: Program, arguments: tuple[str, ...], environment: dict[str, str], message: str, hint: str
) -> None:
    done = program("devices", *arguments, **environment)
    assert (done.returncode, done.stdout) == (2, "")
    error, advice = done.stderr.splitlines()
    assert error.startswith(f"error: {message}")
    assert advice.startswith("hint: ")
    assert hint in advice


@pytest.mark.parametrize(
    ("source", "message", "hint"),
    [
        ("__version__ = '2.9.1'", "torch 2.9.1 is too old: torchstone needs 2.10 or newer", "pip install -U"),
        ("raise ImportError('libtorch.so: no such file')", "torch cannot be imported: libtorch.so", "pip install"),
        ("raise OSError('libcudart.so.13: no such file')", "torch cannot be imported: libcudart", "pip install"),
    ],
)
@pytest.mark.parametrize("command", ["devices", "selftest"])
def test_a_torch_that_will_not_do(
    program: Program, tmp_path: Path, command: str, source: str, message: str, hint: str
) -> None:
    (tmp_path / "torch.py").write_text(source)
    done = program(command, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    error, advice = done.stderr.splitlines()
    assert error.startswith(f"error: {message}")
    assert hint in advice


@pytest.mark.vulkan
def test_the_real_second_device(program: Program) -> None:
    done = program("devices", "--device", "vulkan", "--json")
    assert done.returncode == 0, done.stderr
    said = msgspec.json.decode(done.stdout, type=Document)
    assert [device.id for device in said.devices] == ["cpu", "vulkan:0"]
    assert said.dtypes["vulkan:0"]["float32"].value == "computes"
    assert said.dtypes["vulkan:0"]["bfloat16"].value == "falls back to the CPU"
    assert said.findings == [] or "torchvulkan" not in said.findings[-1].subject
