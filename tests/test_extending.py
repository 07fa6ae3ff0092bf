"""The registry: one file each adds an experiment, an engine, a backend, a section, a command; a sentence says what one
lacks."""

import json
from pathlib import Path

import pytest
from tests.conftest import Program

from torchstone.store import read_run

EXPERIMENT = '''
"""Greetings: how quickly is hello said?"""
from torchstone import engines
from torchstone.contests.answering import answering
from torchstone.contests.race import Race
from torchstone.models.placing import plain_setup
from torchstone.models.subject import load_subject
from torchstone.scheduling.case import Turn, case

OPTIONS = {"loudness": {"metavar": "N", "type": "count", "help": "How loudly."}}


def cases(plan):
    def run(turn):
        subject = load_subject("convnet")
        setups = [plain_setup(device) for device in plan.devices]
        for device, plain in zip(plan.devices, list(setups)):
            setups += engines.setups_worth_trying(device, subject, plain, 1, 1)
        short = Turn(3.0, (), turn.excluded, turn.tell)
        yield from Race("greeting/hello", [answering(subject, setup, 1) for setup in setups], short).run()

    yield case("greeting/hello", run, setup=plain_setup())
'''
ENGINE = '''
"""A scripted engine: plain torch under another name."""
from torchstone.engines import eager
from torchstone.models.placing import changed

COST = 1


def explain_absence():
    return None


def setups(device, subject, plain):
    return (changed(plain, engine="echo"),)


def prepare(subject, setup, batch):
    return eager.prepare(subject, setup, batch)


def emit(setup):
    return eager.emit(setup)
'''
BACKEND = '''
"""A device of somebody's own, which computes on the pretend one."""
import torchstone.pretend
from torchstone.backends import accelerator
from torchstone.backends.accelerator import energy_counter, empty_cache, read_memory, reset_peak_memory, synchronize

torchstone.pretend.install("chip")


def find_devices():
    return ()  # torch lists it already


def explain_absence():
    return None
'''
SECTION = '''
"""What the page and the post say of greetings."""
from torchstone.report.sections import Shown

TITLE = "Greetings"
ORDER = 5
EXPERIMENTS = ("greeting",)
IN_POST = True


def show(view):
    engines = sorted({row.measurement.setup.engine for row in view.rows("greeting")})
    return Shown([f"Hello was said by {' and by '.join(engines)}."]) if engines else None
'''
COMMAND = '''"""Says hello."""
import click


@click.command()
def command():
    """Says hello to whoever asks."""
    click.echo("hello")
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for kind, name, text in (
        ("experiments", "greeting", EXPERIMENT),
        ("engines", "echo", ENGINE),
        ("packages", "a_chip", BACKEND),
        ("sections", "greetings", SECTION),
        ("commands", "hello", COMMAND),
    ):
        (tmp_path / kind).mkdir()
        (tmp_path / kind / f"{name}.py").write_text(text.lstrip())
    return tmp_path


def variables(folder: Path) -> dict[str, str]:
    return {
        "TORCHSTONE_EXPERIMENTS": str(folder / "experiments"),
        "TORCHSTONE_ENGINES": str(folder / "engines"),
        "TORCHSTONE_ONLY_ENGINES": "eager,echo",
        "TORCHSTONE_SECTIONS": str(folder / "sections"),
        "TORCHSTONE_COMMANDS": str(folder / "commands"),
        "TORCHSTONE_IMPORT": "a_chip",
        "PYTHONPATH": str(folder / "packages"),
    }


def test_a_file_of_each_kind_is_found_in_bench_and_on_the_page(program: Program, folder: Path) -> None:
    done = program("bench", "greeting", "--loudness", "3", "--budget", "120", "--verbose", **variables(folder))
    assert done.returncode == 0, done.stderr
    (path,) = (folder / "runs").glob("*.jsonl")
    found = [one for one in read_run(str(path)).measurements if one.name == "greeting/hello"]
    assert {one.setup.engine for one in found} == {"eager", "echo"}
    assert {one.setup.device for one in found} == {"cpu", "chip:0"}
    assert "greeting/hello on chip:0" in done.stdout + done.stderr
    for form, output in (("html", folder / "page.html"), ("post", folder / "post")):
        made = program("report", str(path), "--format", form, "-o", str(output), **variables(folder))
        assert made.returncode == 0, made.stderr
        (text,) = [output] if output.is_file() else output.rglob("*.md")
        assert "Hello was said by eager and by echo." in text.read_text(encoding="utf-8")
    section = folder / "sections" / "greetings.py"
    section.write_text(section.read_text().replace("def show", "def tell"))
    refused = program("report", str(path), "-o", str(folder / "page.html"), **variables(folder))
    assert refused.returncode == 2
    assert "the section greetings in" in refused.stderr


def test_they_are_listed_and_explained(program: Program, folder: Path) -> None:
    listed = program("bench", "--list", "--json", **variables(folder))
    assert json.loads(listed.stdout)["experiments"]["greeting"] == "Greetings: how quickly is hello said?"
    assert "--loudness" in program("bench", "greeting", "--help", **variables(folder)).stdout
    assert "Says hello." in program("--help", **variables(folder)).stdout
    assert program("hello", **variables(folder)).stdout == "hello\n"


@pytest.mark.parametrize(
    ("kind", "name", "lost", "arguments", "words"),
    [
        ("experiments", "greeting", "def cases", ["bench", "greeting"], "the experiment greeting in"),
        ("engines", "echo", "COST = 1", ["bench", "greeting"], "the engine echo in"),
        ("packages", "a_chip", "def explain_absence", ["devices"], "the backend a_chip lacks explain_absence"),
        ("commands", "hello", "def command", ["hello"], "has no click command"),
    ],
)
def test_a_sentence_says_what_a_file_lacks(
    program: Program, folder: Path, kind: str, name: str, lost: str, arguments: list[str], words: str
) -> None:
    path = folder / kind / f"{name}.py"
    path.write_text(path.read_text().replace(lost, f"{lost.split()[0]} other" if lost[0] == "d" else "OTHER = 1"))
    done = program(*arguments, **variables(folder))
    assert "Traceback" not in done.stderr
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
