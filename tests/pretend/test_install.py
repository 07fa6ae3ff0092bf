"""Installing: once a process, without surprises before and after."""

import subprocess
from collections.abc import Callable

import pytest
import torch

import torchstone.pretend as pretend
from torchstone.errors import UserError

RunPython = Callable[[str], "subprocess.CompletedProcess[str]"]


def test_importing_neither_imports_torch_nor_installs(run_python: RunPython) -> None:
    done = run_python(
        "import sys, torchstone.pretend as p\n"
        "with p.configure(missing={'cumsum'}): pass\n"
        "print('torch' in sys.modules, p.is_installed())"
    )
    assert done.stdout == "False False\n", done.stderr


def test_installing_again_does_nothing(device: str) -> None:
    pretend.install()
    assert pretend.is_installed()
    assert str(torch.accelerator.current_accelerator()) == device


@pytest.mark.parametrize(("name", "devices"), [("other", 1), ("pretend", 2)])
def test_a_second_device_is_refused(name: str, devices: int) -> None:
    with pytest.raises(UserError, match="already has 1 pretend device"):
        pretend.install(name, devices)


@pytest.mark.parametrize(("name", "devices"), [("", 1), ("no good", 1), ("Pretend", 1), ("pretend", 0)])
def test_what_cannot_be_a_device_is_refused(name: str, devices: int) -> None:
    with pytest.raises(UserError, match="cannot be installed"):
        pretend.install(name, devices)


def test_another_backend_in_the_process_is_told(run_python: RunPython) -> None:
    done = run_python(
        "import torch, torchstone.pretend as p\n"
        "torch.utils.rename_privateuse1_backend('vulcan')\n"
        "try: p.install()\n"
        "except Exception as error: print(type(error).__name__, error, '|', error.hint)\n"
        "print(p.is_installed())"
    )
    assert done.stdout.startswith("UserError the device 'vulcan' already holds"), done.stderr
    assert "process of its own" in done.stdout
    assert done.stdout.endswith("False\n")


def test_the_name_of_a_torch_module_is_refused(run_python: RunPython) -> None:
    done = run_python(
        "import torchstone.pretend as p\n"
        "try: p.install('cuda')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    assert done.stdout == "UserError 'cuda' is taken: torch.cuda exists\n", done.stderr


def test_another_name_and_more_devices(run_python: RunPython) -> None:
    done = run_python(
        "import torch, torchstone.pretend as p\n"
        "p.install('stone', devices=2)\n"
        "print(torch.ones(2, device='stone'), torch.stone.device_count())\n"
        "for index in (1, 2):\n"
        "    try: torch.ones(2, device=f'stone:{index}')\n"
        "    except RuntimeError as error: print(error)"
    )
    assert done.stdout.splitlines() == [
        "tensor([1., 1.], device='stone:0') 2",
        "stone error: stone:1 is busy or unavailable",
        "stone error: invalid device ordinal",
    ], done.stderr


def test_a_process_ends_quietly_with_tensors_graphs_and_errors_alive(run_python: RunPython) -> None:
    done = run_python(
        "import torch, torchstone.pretend as p\n"
        "p.install()\n"
        "leaf = torch.ones(3, device='pretend', requires_grad=True)\n"
        "leaf.exp().sum().backward()\n"
        "p.set_knobs(p.Knobs(missing={'sigmoid_backward'}))\n"
        "graph = leaf.sigmoid().sum()\n"
        "try: graph.backward()\n"
        "except NotImplementedError as error: kept = error\n"
        "cycle = [leaf]; cycle.append(cycle)\n"
        "torch.ones(3).pretend = leaf\n"
        "print('done')"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_knobs_set_before_installing_are_kept_and_checked(run_python: RunPython) -> None:
    done = run_python(
        "import torch, torchstone.pretend as p\n"
        "p.set_knobs(p.Knobs(missing={'cumsum', 'linear'}))\n"
        "try: p.install()\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    assert done.stdout == "UserError the pretend device never sees linear\n", done.stderr
