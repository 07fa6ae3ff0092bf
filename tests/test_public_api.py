"""The public face: what it names is there, and importing it costs nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

import torchstone as ts
from torchstone.records import Environment, Measurement
from torchstone.store import start_run


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_all_is_what_is_exported() -> None:
    assert ts.__all__ == sorted(ts.__all__)
    assert set(ts.__all__) == {*ts._HOMES, "__version__"} == set(dir(ts))


@pytest.mark.parametrize("name", ts.__all__)
def test_each_name_can_be_imported(name: str) -> None:
    value = getattr(ts, name)
    assert value is not None
    if name != "__version__":
        room, _, attribute = ts._HOMES[name].partition(":")
        home = sys.modules[room]
        assert value is (getattr(home, attribute) if attribute else home)
        assert callable(value)
        assert value.__doc__


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'torchstone' has no attribute 'benchmark'"):
        _ = ts.benchmark


def test_the_version_is_the_packages() -> None:
    import tomllib

    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] == ts.__version__


def test_importing_it_imports_nothing_slow() -> None:
    slow = ("torch", "numpy", "msgspec", "rich", "fsspec", "psutil", "click")
    assert python(f"import sys, torchstone; print([name for name in {slow} if name in sys.modules])") == "[]"


def test_records_can_be_read_without_torch(tmp_path: Path) -> None:
    environment = Environment(torch="2", python="3", os="o", chip="c", physical_cores=None, threads=1)
    url = start_run("test", environment, (), str(tmp_path)).url
    code = f"import sys, torchstone; print(torchstone.load_run({url!r}).command, 'torch' in sys.modules)"
    assert python(code) == "test False"


def test_the_names_stay_functions_after_the_packages_were_imported() -> None:
    code = (
        "import torchstone, torchstone.measuring.timing, torchstone.commands.devices, torchstone.backends;"
        "print([callable(getattr(torchstone, name)) for name in ('measure', 'compare', 'devices', 'report')])"
    )
    assert python(code) == "[True, True, True, True]"


class TestDevices:
    def test_a_tuple_that_shows_itself(self) -> None:
        found = ts.devices()
        assert found[0].id == "cpu"
        assert repr(found).startswith(f"cpu: {found[0].vendor} {found[0].name}, ")
        assert len(repr(found).splitlines()) == len(found)
        assert ">cpu</td>" in found._repr_html_()

    def test_names_are_escaped(self) -> None:
        from torchstone.notebook import Devices

        strange = ts.Device(id="x", kind="x", vendor="A & B", name="<i>", memory_bytes=None, unified_memory=None)
        html = Devices((strange,))._repr_html_()
        assert ">A &amp; B</td>" in html
        assert ">&lt;i&gt;</td>" in html
        assert ">unknown</td>" in html

    def test_one_that_is_not_here(self) -> None:
        with pytest.raises(ts.UserError, match="no device 'gpu'"):
            ts.devices("gpu")


class TestMeasuring:
    def test_measure(self) -> None:
        found = ts.measure(lambda: sum(range(1000)), device="cpu", budget_s=0.1)
        assert isinstance(found, Measurement)
        assert found.status == "ok", found.reason
        assert found.samples
        assert "on cpu: median time" in repr(found)
        assert ">median time</th>" in found._repr_html_()

    def test_compare(self) -> None:
        found = ts.compare(lambda: sum(range(500)), lambda: sum(range(2000)), processes=0, budget_s=0.2)
        assert isinstance(found, ts.Comparison)
        assert found.ratio is not None
        assert found.ratio.rounds >= 1
        assert "ratio" in str(found)
        assert str(found) in found._repr_html_()


def test_a_user_error_keeps_its_hint() -> None:
    import copy
    import pickle

    error = ts.UserError("no", "do")
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (str(again), again.message, again.hint) == ("no", "no", "do")
