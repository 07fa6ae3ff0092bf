"""What `bench` does: the cases of all experiments into one run file; a mistake costs its own experiment alone."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import torchstone.experiments
from torchstone import benching
from torchstone.backends import find_device
from torchstone.benching import Ended, Request, run_bench
from torchstone.errors import UserError
from torchstone.experiments import Plan, cases_of, experiment_names
from torchstone.machine.environment import describe_environment
from torchstone.records import Device
from torchstone.scheduling import Case, Progress
from torchstone.store import RunWriter, read_run, start_run

EXPERIMENT = '''
"""An experiment made for the test."""
import os
from torchstone.errors import UserError
from torchstone.records import Measurement, Setup
from torchstone.scheduling.case import case

OPTIONS = {}


def record(name, **facts):
    return Measurement(name=name, setup=Setup(), unit="s", samples=(1.0,), facts=facts)


def cases(plan):
{cases}
'''
Write = Callable[[str, str], None]


def test_a_small_budget_begins_with_what_is_light_and_telling() -> None:
    plan = Plan(devices=(find_device("cpu")[1],), is_asked_for=False)
    listed = [one for name in experiment_names() for one in cases_of(name, plan) if isinstance(one, Case)]
    ordered = [one.listing.name for one in sorted(listed, key=lambda one: one.listing.price)]
    assert ordered[0] == "inference/efficientnet_lite0/batch=1"
    middle = len(ordered) // 2
    light, heavy = ordered[:middle], ordered[middle:]
    assert {"images/pipeline/512/batch=1", "images/jpeg to tensor/512/batch=8", "peak/copy"} <= set(light)
    assert {name for name in ordered if name.startswith("training/")} <= set(heavy)
    assert heavy.index("training/resnet50/train/batch=2") < heavy.index("training/bert_base/train/batch=1")


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """An experiment in a folder of one's own, found by us and by the workers alike."""
    folder = tmp_path / "experiments"
    folder.mkdir()
    monkeypatch.setenv(torchstone.experiments.FOLDER_VARIABLE, str(folder))
    monkeypatch.setattr(torchstone.experiments, "__path__", [*torchstone.experiments.__path__, str(folder)])
    # Which dtypes the devices compute in is found out in processes of its own, and tested there.
    monkeypatch.setattr(benching, "with_narrow_dtypes", lambda device, server: device)

    def write_file(name: str, cases: str) -> None:
        text = EXPERIMENT.replace("{cases}", textwrap.indent(textwrap.dedent(cases).strip(), "    "))
        (folder / f"{name}.py").write_text(text)

    return write_file


@pytest.fixture
def bench(tmp_path: Path) -> Callable[..., Ended]:
    def run(*names: str, show: Callable[[Progress], None] = lambda progress: None, url: str | None = None) -> Ended:
        def open_run(devices: tuple[Device, ...]) -> RunWriter:
            if url is not None:
                return RunWriter.reopen(url)
            return start_run("bench", describe_environment(), devices, str(tmp_path / "runs"))

        return run_bench(Request(names, (find_device("cpu")[1],), 300.0), open_run, show)

    return run


def statuses(ended: Ended) -> dict[str, str]:
    return {one.name: one.status for one in read_run(ended.url).measurements}


def test_cases_of_several_experiments_by_rank_and_one_that_dies_alone(
    write: Write, bench: Callable[..., Ended]
) -> None:
    write(
        "probe_a",
        """
        yield case("a/late", lambda turn: [record("a/late")], rank=3)
        yield case("a/dies", lambda turn: os.abort(), rank=1)
        """,
    )
    write("probe_b", 'yield case("b/first", lambda turn: [record("b/first")])')
    ended = bench("probe_a", "probe_b")
    assert statuses(ended) == {"b/first": "ok", "a/dies": "failed", "a/late": "ok"}
    assert len(ended.run.finished) == 3


def test_a_mistake_stops_its_experiment_and_no_other(write: Write, bench: Callable[..., Ended]) -> None:
    write("probe_missing", 'raise UserError("kornia is not installed", "pip install it")\nyield')
    write("probe_next", 'yield case("next", lambda turn: [record("next")])')
    ended = bench("probe_missing", "probe_next")
    assert [mistake.message for mistake in ended.mistakes] == ["kornia is not installed"]
    assert statuses(ended) == {"next": "ok"}


def test_a_mistake_that_leaves_nothing_is_raised_and_leaves_no_file(
    write: Write, bench: Callable[..., Ended], tmp_path: Path
) -> None:
    write("probe_missing", 'raise UserError("kornia is not installed", "pip install it")\nyield')
    with pytest.raises(UserError, match="kornia"):
        bench("probe_missing")
    assert list((tmp_path / "runs").glob("*.jsonl")) == []


def test_an_interrupt_keeps_what_was_measured_and_a_continued_run_does_the_rest(
    write: Write, bench: Callable[..., Ended]
) -> None:
    write(
        "probe_long", 'for name in "abc":\n    yield case(name, lambda turn, name=name: [record(name)], rank=ord(name))'
    )

    def interrupt(progress: Progress) -> None:
        if progress.done == 1:
            raise KeyboardInterrupt

    ended = bench("probe_long", show=interrupt)
    assert ended.interrupted is not None
    assert statuses(ended) == {"a": "ok"}
    whole = bench("probe_long", url=ended.url)
    assert [one.name for one in read_run(whole.url).measurements] == ["a", "b", "c"]


def test_pictures_do_not_follow_a_link(tmp_path: Path) -> None:
    (tmp_path / "run.files").symlink_to(tmp_path)
    with pytest.raises(UserError, match="is a link"):
        benching._artifacts_beside(str(tmp_path / "run.jsonl"))
