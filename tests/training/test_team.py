"""Several processes: the same weights as one, however unequal their shares; a lost one ends all, and can be resumed."""

import dataclasses
import os
import signal
import time
from pathlib import Path

import psutil
import pytest
import torch
from tests.training.conftest import make_trainer, weights_of

from torchstone.training import checkpoint
from torchstone.training.launching import Order, TeamError, explain_loss, run_team
from torchstone.training.recipe import Recipe
from torchstone.training.team import Team


def test_shares_are_all_of_the_batch_and_an_empty_one_has_no_weight() -> None:
    rows = torch.arange(5)
    shares = [Team(rank, 3).share(rows) for rank in range(3)]
    assert sorted(torch.cat([mine for mine, _ in shares]).tolist()) == [0, 1, 2, 3, 4]
    assert {weight for _, weight in shares} == {1.0}
    idle, weight = Team(1, 2).share(rows[:1])
    assert (idle.tolist(), weight) == ([0], 0.0)


def test_two_processes_give_the_weights_of_one(recipe: Recipe, tmp_path: Path) -> None:
    """The last batch has a single photograph: the second process has none of it."""
    alone = make_trainer(recipe)
    list(alone.run())
    path = tmp_path / "finetune.pt"
    events = list(run_team(Order(recipe, 2, checkpoint=path)))
    together = checkpoint.read(path)["model"]
    torch.testing.assert_close(together, dict(weights_of(alone)), rtol=1e-3, atol=1e-5)
    assert [event["epoch"]["number"] for event in events[:-1]] == [1, 2, 3]
    assert events[-1]["history"]["losses"] == pytest.approx(alone.history.losses, rel=1e-3)
    assert events[-1]["history"]["epochs"][-1]["accuracy"] == alone.history.epochs[-1].accuracy


def test_a_killed_process_ends_the_team_with_its_name_and_the_checkpoint_goes_on(
    recipe: Recipe, tmp_path: Path
) -> None:
    endless = dataclasses.replace(recipe, epochs=1_000_000)
    path = tmp_path / "finetune.pt"
    events = run_team(Order(endless, 2, checkpoint=path, seconds=100.0))
    assert next(events)["epoch"]["number"] == 1
    os.kill(_a_worker(), signal.SIGKILL)
    started = time.monotonic()
    with pytest.raises(TeamError, match=r"process \d of the team \(pid \d+\) was killed by SIGKILL"):
        list(events)
    assert time.monotonic() - started < 60
    trainer = make_trainer(endless)
    trainer.resume(checkpoint.read(path))
    assert trainer.history.step >= trainer.steps_per_epoch


def test_a_mistake_in_a_process_is_said(recipe: Recipe, tmp_path: Path) -> None:
    lost = dataclasses.replace(recipe, data=str(tmp_path / "nowhere"))
    with pytest.raises(TeamError, match="there is no folder"):
        list(run_team(Order(lost, 2)))


def test_a_log_without_a_story_gives_its_last_line() -> None:
    assert explain_loss("one\ntwo\n", 7) == "torch.distributed.run ended with code 7: two"
    assert "said nothing" in explain_loss("", 7)


STORY = """
Failures:
[1]:
  rank      : 1 (local_rank: 1)
  exitcode  : {other} (pid: 302)
Root Cause (first observed failure):
[0]:
  rank      : 0 (local_rank: 0)
  exitcode  : {cause} (pid: 301)
"""


@pytest.mark.parametrize(
    ("cause", "other", "blamed"),
    [
        (-signal.SIGABRT, -signal.SIGKILL, "process 1 of the team (pid 302) was killed by SIGKILL"),
        (-signal.SIGABRT, -signal.SIGTERM, "process 0 of the team (pid 301) was killed by SIGABRT"),
        (-signal.SIGKILL, -signal.SIGABRT, "process 0 of the team (pid 301) was killed by SIGKILL"),
        (3, -signal.SIGKILL, "process 0 of the team (pid 301) ended with code 3"),
    ],
)
def test_one_that_aborted_for_the_loss_of_another_is_not_blamed(cause: int, other: int, blamed: str) -> None:
    assert explain_loss(STORY.format(cause=int(cause), other=int(other)), 1).startswith(blamed)


def test_processes_whose_launcher_is_killed_end_too(recipe: Recipe) -> None:
    endless = dataclasses.replace(recipe, epochs=1_000_000)
    events = run_team(Order(endless, 2, seconds=100.0))
    next(events)
    launcher = _launcher()
    workers = launcher.children()
    launcher.kill()
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert len(workers) == 2
    assert alive == []
    with pytest.raises(TeamError, match="ended with code -9"):
        list(events)


def _launcher() -> psutil.Process:
    return next(one for one in psutil.Process().children() if "torch.distributed.run" in one.cmdline())


def _a_worker() -> int:
    """One that the launcher started; it stands in a session of its own."""
    return int(_launcher().children()[-1].pid)
