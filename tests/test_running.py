"""The runner: records safe one by one, a case that crashes or fails costs that case alone, the budget divided."""

import os
import textwrap
from pathlib import Path

import pytest
from torchstone.running import Progress, Request, run_experiments

from torchstone.backends import find_device
from torchstone.machine.environment import describe_environment
from torchstone.store import RunWriter, read_run, start_run

EXPERIMENT = '''
"""An experiment made for the test."""
import os
from torchstone.errors import UserError
from torchstone.experiments import Case
from torchstone.records import Finding, Measurement, Setup

WEIGHT = 1.0
OPTIONS = ("data",)


def record(name, device):
    return Measurement(name=name, setup=Setup(device=device), unit="s", samples=(1.0,))


def cases(plan):
    device = plan.device.id
{cases}
'''


@pytest.fixture
def writer(tmp_path: Path) -> RunWriter:
    return start_run("bench", describe_environment(), (find_device("cpu")[1],), str(tmp_path / "runs"))


@pytest.fixture
def write_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """An experiment in a folder of one's own, found by us and by the worker processes alike."""
    import torchstone.experiments

    folder = tmp_path / "experiments"
    folder.mkdir()
    monkeypatch.setenv(torchstone.experiments.FOLDER_VARIABLE, str(folder))
    monkeypatch.setattr(torchstone.experiments, "__path__", [*torchstone.experiments.__path__, str(folder)])

    def write(name: str, cases: str) -> None:
        text = EXPERIMENT.replace("{cases}", textwrap.indent(textwrap.dedent(cases).strip(), "    "))
        (folder / f"{name}.py").write_text(text)

    return write


def run(names: tuple[str, ...], writer: RunWriter, budget_s: float = 30.0) -> tuple[list[Progress], list[str]]:
    seen: list[Progress] = []
    request = Request(names, (find_device("cpu")[1],), budget_s)
    mistakes = run_experiments(request, writer, seen.append)
    return seen, [mistake.message for mistake in mistakes]


def statuses(writer: RunWriter) -> dict[str, str]:
    return {one.name: one.status for one in read_run(writer.url).measurements}


def test_records_are_written_and_shown_in_order(write_experiment, writer: RunWriter) -> None:  # type: ignore[no-untyped-def]
    write_experiment(
        "probe_order",
        """
        yield Case("probe/a", lambda seconds: [record("probe/a", device), record("probe/a/more", device)])
        yield Case("probe/b", lambda seconds: [record("probe/b", device)])
        """,
    )
    seen, mistakes = run(("probe_order",), writer)
    assert mistakes == []
    assert list(statuses(writer)) == ["probe/a", "probe/a/more", "probe/b"]
    assert [progress.case for progress in seen if progress.record is None] == ["probe/a", "probe/b"]


def test_a_case_that_dies_costs_that_case_alone(write_experiment, writer: RunWriter) -> None:  # type: ignore[no-untyped-def]
    write_experiment(
        "probe_death",
        """
        def die(seconds):
            yield record("probe/half", device)
            os.abort()
        def fail(seconds):
            raise NotImplementedError("The operator 'aten::x' is not currently implemented")
        yield Case("probe/fine", lambda seconds: [record("probe/fine", device)])
        yield Case("probe/dies", die, setup=Setup(dtype="bfloat16"))
        yield Case("probe/fails", fail)
        yield Case("probe/exits", lambda seconds: os._exit(3))
        yield Case("probe/last", lambda seconds: [record("probe/last", device)])
        """,
    )
    run(("probe_death",), writer)
    found = {one.name: (one.status, one.reason) for one in read_run(writer.url).measurements}
    assert found["probe/fine"] == ("ok", None)
    assert found["probe/half"] == ("ok", None), "what was measured before the crash is kept"
    assert found["probe/dies"] == ("failed", "killed by SIGABRT")
    assert [one.setup.dtype for one in read_run(writer.url).measurements if one.name == "probe/dies"] == ["bfloat16"]
    assert found["probe/fails"][0] == "unsupported"
    assert found["probe/exits"] == ("failed", "exited with code 3 before it returned")
    assert found["probe/last"] == ("ok", None)


def test_a_case_that_hangs_is_ended(write_experiment, writer: RunWriter, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr("torchstone.running.SILENCE_S", 1.0)
    monkeypatch.setattr("torchstone.running.SILENCE_FACTOR", 0.0)
    write_experiment(
        "probe_hang",
        """
        def hang(seconds):
            import time
            time.sleep(600)
            return []
        yield Case("probe/hangs", hang)
        yield Case("probe/after", lambda seconds: [record("probe/after", device)])
        """,
    )
    run(("probe_hang",), writer)
    found = {one.name: (one.status, one.reason) for one in read_run(writer.url).measurements}
    assert found["probe/hangs"][0] == "failed"
    assert "said nothing for too long" in (found["probe/hangs"][1] or "")
    assert found["probe/after"] == ("ok", None)


def test_a_case_far_over_its_share_leaves_the_rest_unbegun(  # type: ignore[no-untyped-def]
    write_experiment, writer: RunWriter
) -> None:
    write_experiment(
        "probe_slow",
        """
        def crawl(seconds):
            import time
            yield record("probe/crawls/first", device)
            time.sleep(600)
        yield Case("probe/crawls", crawl)
        yield Case("probe/after", lambda seconds: [record("probe/after", device)], setup=Setup(dtype="float16"))
        """,
    )
    write_experiment("probe_then", 'yield Case("probe/then", lambda seconds: [record("probe/then", device)])')
    run(("probe_slow", "probe_then"), writer, budget_s=4.0)
    found = {one.name: one for one in read_run(writer.url).measurements}
    assert found["probe/crawls/first"].status == "ok"
    assert found["probe/crawls"].status == "skipped"
    assert "too slow for the budget: probe_slow had 2 s" in (found["probe/crawls"].reason or "")
    assert (found["probe/after"].status, found["probe/after"].setup.dtype) == ("skipped", "float16")
    assert {"probe/then", "probe_then"} & set(found), "the next experiment has its turn, or a record says why not"


def test_a_lost_device_is_named(write_experiment, writer: RunWriter) -> None:  # type: ignore[no-untyped-def]
    write_experiment("probe_lost", 'yield Case("probe/lost", lambda seconds: os.abort())')
    run_experiments(Request(("probe_lost",), (find_device("pretend")[1],), 30.0), writer, lambda progress: None)
    (lost,) = read_run(writer.url).measurements
    assert (lost.status, lost.setup.device) == ("failed", "pretend:0")
    assert lost.reason == "the process that used pretend:0 was lost: killed by SIGABRT"


def test_a_mistake_stops_its_experiment_and_no_other(write_experiment, writer: RunWriter) -> None:  # type: ignore[no-untyped-def]
    write_experiment("probe_missing", 'raise UserError("kornia is not installed", "pip install it")\nyield')
    write_experiment("probe_next", 'yield Case("probe/next", lambda seconds: [record("probe/next", device)])')
    _, mistakes = run(("probe_missing", "probe_next"), writer)
    assert mistakes == ["kornia is not installed"]
    assert statuses(writer) == {"probe/next": "ok"}


def test_seconds_follow_the_weights(write_experiment, writer: RunWriter) -> None:  # type: ignore[no-untyped-def]
    write_experiment(
        "probe_weights",
        """
        def spend(name):
            def run(seconds):
                yield Measurement(name=name, setup=Setup(device=device), unit="s", samples=(seconds,))
            return run
        yield Case("probe/one", spend("probe/one"), weight=1.0)
        yield Case("probe/three", spend("probe/three"), weight=3.0)
        """,
    )
    run(("probe_weights",), writer, budget_s=100.0)
    first, second = read_run(writer.url).measurements
    assert 20.0 < first.samples[0] <= 25.0
    assert second.samples[0] > 2.9 * first.samples[0], "what a case leaves over goes to the next ones"


def test_workers_leave_no_process_behind(write_experiment, writer: RunWriter) -> None:  # type: ignore[no-untyped-def]
    import psutil

    write_experiment("probe_clean", 'yield Case("probe/x", lambda seconds: [record("probe/x", device)])')
    run(("probe_clean",), writer)
    assert [
        child for child in psutil.Process(os.getpid()).children() if "torchstone.processes.serving" in child.cmdline()
    ] == []
