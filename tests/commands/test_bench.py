"""`torchstone bench` as a person would run it, on small models of their own."""

import dataclasses
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import click
import msgspec
import pytest
from click.testing import CliRunner
from tests.conftest import Program
from tests.report.runs import make_run

from torchstone import benching
from torchstone.backends import find_device
from torchstone.commands import bench, torchstone_command
from torchstone.commands.experimenting.asking import Asked, asked_from, go_on
from torchstone.errors import UserError
from torchstone.experiments import experiment_names, options_of, reads_model, summary_of
from torchstone.machine.environment import describe_environment
from torchstone.records import Environment, Finding, Measurement, Scalar, Setup
from torchstone.store import read_run, start_run

MODEL = """
import torch

def small():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 5))
    return net.eval(), (torch.randn(2, 3, 8, 8),)
"""


SORTING = '''# A comment before.
"""Sorting: how quickly?

def sort(numbers): a line like code, that mentions plan.model
"""

def cases(plan):
    return iter(())  # plan.model is not looked at

OPTIONS = {"length": {"metavar": "N", "type": "count", "help": "How many numbers."}}
'''


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(MODEL)
    return f"{path}:small"


def test_list_and_explain(program: Program) -> None:
    listed = program("bench", "--list")
    assert listed.returncode == 0
    for name in ("images", "inference", "training", "transfer", "leak", "load"):
        assert name in listed.stdout


def help_of(*words: str) -> str:
    done = CliRunner().invoke(torchstone_command, ["bench", *words, "--help"], prog_name="torchstone")
    assert done.exit_code == 0, done.output
    return done.output


def options_in(text: str) -> set[str]:
    return set(re.findall(r"^  (--[a-z-]+)", text, re.MULTILINE))


@pytest.mark.parametrize("name", experiment_names())
def test_the_help_of_an_experiment_shows_only_what_it_reads(name: str) -> None:
    text = help_of(name)
    assert text.startswith(f"Usage: torchstone bench {name} [OPTIONS]\n")
    assert summary_of(name) in " ".join(text.split())
    of_a_model = {"--model", "--input"} if reads_model(name) else set()
    assert options_in(text) == {f"--{option}" for option in options_of(name)} | of_a_model
    assert "Every experiment reads --device, --budget" in text
    assert "What is this hardware worth?" not in text


def test_the_help_of_bench_shows_what_is_common_and_all_experiments() -> None:
    text = help_of()
    assert options_in(text) >= {"--list", "--device", "--budget", "--model", "--input", "--runs", "--json"}
    assert not options_in(text) & {f"--{option}" for name in experiment_names() for option in options_of(name)}
    listed = text.partition("Experiments:\n")[2]
    assert re.findall(r"^  (\w+)  ", listed, re.MULTILINE) == list(experiment_names())
    assert all(summary_of(name) in " ".join(listed.split()) for name in experiment_names())


def test_help_is_given_whatever_else_stands_there() -> None:
    assert help_of("finetune", "--data", "somewhere", "--epochs", "many") == help_of("finetune")
    both = help_of("peak", "load")
    assert both.index("Usage: torchstone bench peak") < both.index("Usage: torchstone bench load")


def test_help_of_what_is_no_experiment(program: Program) -> None:
    done = program("bench", "nosuch", "--help")
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: no experiment 'nosuch'" in done.stderr


def test_the_items_of_a_docstring_stay_apart() -> None:
    assert "\n  - probe: the features" in help_of("finetune")
    assert "\n  - full: all weights" in help_of("finetune")


def test_an_experiment_of_ones_own_explains_itself(program: Program, tmp_path: Path) -> None:
    """Also where its docstring looks like code, and its options come late."""
    (tmp_path / "sorting.py").write_text(SORTING)
    done = program("bench", "sorting", "--help", TORCHSTONE_EXPERIMENTS=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "  Sorting: how quickly?" in done.stdout
    assert options_in(done.stdout) == {"--length"}
    listed = program("bench", "--help", TORCHSTONE_EXPERIMENTS=str(tmp_path))
    assert "  sorting    Sorting: how quickly?" in listed.stdout


def test_help_does_not_import_torch(program: Program) -> None:
    code = "import sys; from torchstone.cli import run; run(['bench', '--list']); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


@pytest.mark.timeout(600)
def test_a_persons_own_model_on_the_pretend_device(program: Program, model: str) -> None:
    """Where others keep the cores a budget may end before the device's turn: then, and only then, more is given."""
    asked = ("bench", "inference", "--device", "pretend", "--model", model, "--json")
    for budget_s in (15, 60, 180):
        done = program(*asked, "--budget", str(budget_s), TORCHSTONE_ONLY_ENGINES="eager", OMP_NUM_THREADS="1")
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout)
        assert (answer["schema"], answer["content"]["schema"]) == ("torchstone/1", "torchstone/2")
        run = read_run(answer["run"])
        assert {device.id for device in run.devices} == {"cpu", "pretend:0"}
        timed = [one for one in run.measurements if one.status == "ok" and one.unit == "s"]
        if {one.setup.device for one in timed} == {"cpu", "pretend:0"}:
            return
        left = [one for one in run.measurements if one.status != "ok"]
        assert any("budget" in (one.reason or "") for one in left), left
        assert all("budget" in (one.reason or "") for one in left if one.setup.device == "pretend:0"), left
    pytest.fail("the pretend device had no turn in any budget")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "no experiment 'nothing'"),
        (["inference", "--device", "tpu9"], "no device 'tpu9'"),
        (["inference", "--budget", "0"], "0 seconds cannot be"),
        (["inference", "--model", "missing.py:name"], "missing.py"),
        (["transfer", "--data", "somewhere"], "--data means nothing to transfer"),
        (["peak", "transfer", "--model", "zoo:resnet50"], "--model means nothing to peak, transfer"),
        (["--list", "nosuch"], "no experiment 'nosuch'"),
        (["load", "--latency-bound", "abc"], "is not a number of seconds"),
        (["inference", "--input", "0x-3"], "has a size of -3"),
        (["inference", "--input", "2x64"], "--model names none"),
        (["--model", "x"], "does not say which model to take"),
        (["--model", "zoo:nosuch"], "there is no model 'nosuch' in the zoo"),
        (["inference", "--continue", "nothing"], "No such file"),
        (["inference", "--continue", "last~999999"], "there is no last~999999"),
    ],
)
def test_misuse_is_a_sentence(program: Program, arguments: list[str], words: str) -> None:
    done = program("bench", *arguments, *([] if "--budget" in arguments else ["--budget", "5"]))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-2].startswith("error: ")
    assert done.stderr.splitlines()[-1].startswith("hint: ")
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert "measuring" not in done.stderr


def test_misuse_leaves_no_empty_run_file(program: Program, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    fails = tmp_path / "fails.py"
    fails.write_text("def net():\n    raise ValueError('no weights here')\n")
    done = program("bench", "inference", "--model", f"{fails}:net", "--budget", "5", "--runs", str(runs))
    assert done.returncode == 2
    assert list(runs.iterdir()) == []


@pytest.mark.parametrize("value", ["nan", "inf", "0", "-1", "1e9", "abc"])
def test_a_learning_rate_has_bounds(program: Program, value: str) -> None:
    done = program("bench", "finetune", "--learning-rate", value)
    assert done.returncode == 2
    assert done.stderr.startswith("error: Invalid value for '--learning-rate'")


@pytest.mark.parametrize("value", ["0", "-1", "1025", "99999999999999999999", "2.5"])
def test_processes_have_bounds(program: Program, value: str) -> None:
    done = program("bench", "finetune", "--processes", value)
    assert done.returncode == 2
    assert done.stderr.startswith("error: Invalid value for '--processes'")


class TestNotEverythingIsFine:
    def judge(self, tmp_path: Path, *statuses: str, mistakes: int = 0) -> int:
        environment = Environment(torch="2", python="3", os="o", chip="c", physical_cores=None, threads=1)
        writer = start_run("bench", environment, (), str(tmp_path))
        for number, status in enumerate(statuses):
            reason = None if status == "ok" else "because"
            writer.append(Measurement(name=str(number), setup=Setup(), unit="s", status=status, reason=reason))  # type: ignore[arg-type]
        try:
            ended = benching.Ended(writer.run, writer.url, (), None, writer.trouble)
            bench._refuse_to_call_it_fine(ended, (UserError("mistake", "hint"),) * mistakes)
        except click.exceptions.Exit as left:
            return left.exit_code
        return 0

    def test_something_was_measured(self, tmp_path: Path) -> None:
        assert self.judge(tmp_path, "failed", "ok") == 0

    def test_nothing_could_be_measured(self, tmp_path: Path) -> None:
        assert self.judge(tmp_path, "failed", "skipped") == 1
        assert self.judge(tmp_path) == 1

    def test_what_was_judged_before_all_else_was_skipped_is_no_result(self) -> None:
        one = Measurement(name="x", setup=Setup(), unit="s", status="skipped", reason="no time")
        finding = Finding(
            kind="finetune", subject="first losses", verdict="as on the CPU", tier="measured", evidence="e"
        )
        assert not bench._has_results(make_run(one, finding))
        assert bench._has_results(make_run(finding))
        assert bench._has_results(make_run(msgspec.structs.replace(one, status="wrong"), finding))

    def test_what_was_asked_for_could_not_run(self, tmp_path: Path) -> None:
        assert self.judge(tmp_path, "ok", mistakes=1) == 2

    def test_a_record_was_lost(self, tmp_path: Path) -> None:
        environment = Environment(torch="2", python="3", os="o", chip="c", physical_cores=None, threads=1)
        writer = start_run("bench", environment, (), str(tmp_path))
        lost = UserError("the disk is full", "make room")
        with pytest.raises(UserError, match="the disk is full"):
            bench._refuse_to_call_it_fine(benching.Ended(writer.run, writer.url, (), None, lost), ())


def test_a_link_in_the_place_of_a_runs_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.files").symlink_to("/tmp")
    with pytest.raises(UserError, match="is a link"):
        benching._artifacts_beside(str(tmp_path / "run.jsonl"))
    assert benching._artifacts_beside(str(tmp_path / "other.jsonl")) == str(tmp_path / "other.files")
    assert benching._artifacts_beside("s3://bucket/run.jsonl") is None


def test_ctrl_c_keeps_what_was_measured(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    command = [
        sys.executable,
        "-m",
        "torchstone",
        "bench",
        "transfer",
        "--budget",
        "600",
        "--verbose",
        "--runs",
        str(runs),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bench:
        assert bench.stderr is not None
        first = bench.stderr.readline()
        bench.send_signal(signal.SIGINT)
        output, errors = bench.communicate(timeout=60)
    assert bench.returncode == 130, errors
    assert "transfer/" in first
    (path,) = runs.glob("*.jsonl")
    assert read_run(str(path)).measurements
    assert str(path) in output.replace("\n", "")


def test_a_run_of_another_command_is_not_gone_on_with(program: Program, tmp_path: Path) -> None:
    url = start_run("ops", describe_environment(), (), str(tmp_path)).url
    done = program("bench", "inference", "--continue", url)
    assert (done.returncode, "is a run of `ops`" in done.stderr) == (2, True)
    assert Path(url).exists()


def test_who_continues_a_run_continues_what_was_asked_for(program: Program, tmp_path: Path) -> None:
    first = program("bench", "peak", "--budget", "2", "--runs", str(tmp_path), "--json")
    assert first.returncode == 0, first.stderr
    again = program("bench", "--continue", "last", "--budget", "2", "--runs", str(tmp_path), "--json")
    assert again.returncode == 0, again.stderr
    names = {one["name"].partition("/")[0] for one in json.loads(again.stdout)["content"]["records"] if "unit" in one}
    assert names == {"peak"}


def of_a_run(tmp_path: Path, *asked: str) -> str:
    """A run that was begun with the CPU alone."""
    return start_run("bench", describe_environment(), (find_device("cpu")[1],), str(tmp_path), asked).url


@pytest.mark.parametrize(
    ("asked", "arguments", "words"),
    [
        (["peak"], ["transfer"], "that run was asked for peak, not transfer"),
        (["finetune", "--data=mine"], ["--data", "yours"], "was asked for finetune --data=mine, not --data=yours"),
        (["finetune"], ["--epochs", "3"], "that run was asked for finetune, not --epochs=3"),
        (["peak"], ["--device", "pretend"], "that run is of cpu, not of pretend"),
        (["peak", "--depth=3"], [], "asked for --depth, which is not known here"),
    ],
)
def test_a_run_is_of_one_question(
    program: Program, tmp_path: Path, asked: list[str], arguments: list[str], words: str
) -> None:
    done = program("bench", "--continue", of_a_run(tmp_path, *asked), *arguments)
    assert (done.returncode, done.stderr.splitlines()[0].endswith(words)) == (2, True), done.stderr


def test_what_was_asked_for_comes_back_from_its_words() -> None:
    given: dict[str, Scalar] = {"epochs": 3, "learning-rate": 0.01, "protocol": "post-2022", "latency-bound": 0.05}
    asked = Asked(("finetune", "load"), "a.py:b", "1x3", {"data": "a=b c", **given})
    assert asked_from(asked.as_words()) == asked
    assert go_on(asked, Asked()) == asked
    assert go_on(asked, Asked(("load",), options={"epochs": 3})) == dataclasses.replace(asked, experiments=("load",))
    assert go_on(Asked(), Asked(("load",))).experiments == ("load",)


def test_who_continues_a_run_of_a_model_continues_with_that_model(program: Program, model: str, tmp_path: Path) -> None:
    kept = ["--budget", "2", "--runs", str(tmp_path), "--json"]
    first = program("bench", "leak", "--model", model, *kept)
    assert json.loads(first.stdout)["content"]["asked"] == ["leak", f"--model={model}"]
    again = program("bench", "--continue", "last", *kept)
    records = json.loads(again.stdout)["content"]["records"]
    assert {one["name"].split("/")[1] for one in records if "unit" in one} == {"mine.small"}
    other = program("bench", "--continue", "last", "--model", "zoo:resnet50", *kept)
    assert (other.returncode, "that run was asked for leak --model=" in other.stderr) == (2, True)
    with Path(model.rpartition(":")[0]).open("a") as file:
        file.write("# another model from here on\n")
    changed = program("bench", "--continue", "last", *kept)
    assert (changed.returncode, "has changed since that run was made" in changed.stderr) == (2, True)
