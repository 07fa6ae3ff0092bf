"""The trainer: it learns, folding changes nothing, and a resumed training is the same training to the last bit."""

import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from tests.training.conftest import make_trainer, weights_of

from torchstone.errors import UserError
from torchstone.training import checkpoint
from torchstone.training.launching import Order, arguments_of
from torchstone.training.recipe import LITE0, Recipe
from torchstone.training.trainer import DivergedError


def test_it_learns(recipe: Recipe) -> None:
    trainer = make_trainer(dataclasses.replace(recipe, epochs=10))
    epochs = list(trainer.run())
    assert [epoch.number for epoch in epochs] == list(range(1, 11))
    assert epochs[-1].loss < epochs[0].loss
    assert epochs[-1].accuracy > 0.9
    assert len(trainer.history.losses) == trainer.steps == trainer.history.step == 40
    assert len(trainer.history.step_s) == 40  # the last batch of each epoch is not whole


def test_the_folded_training_is_the_plain_one(recipe: Recipe) -> None:
    folded, plain = make_trainer(recipe), make_trainer(recipe, plain=True)
    assert (folded.folded, plain.folded) == (2, 0)
    list(folded.run())
    list(plain.run())
    torch.testing.assert_close(weights_of(folded), weights_of(plain), rtol=1e-3, atol=1e-4)
    # Frozen are the statistics; gammas and betas learn.
    untrained = make_trainer(recipe).model.state_dict()
    assert torch.equal(weights_of(folded)["norm.running_mean"], untrained["norm.running_mean"])
    assert not torch.equal(weights_of(folded)["norm.weight"], untrained["norm.weight"])


def test_ours_learn_from_growing_photographs_and_only_steps_at_the_full_side_are_timed(recipe: Recipe) -> None:
    ours = dataclasses.replace(recipe, model=LITE0, side=96, batch=4, epochs=1, learning_rate=1e-4)
    trainer = make_trainer(ours)
    sides: list[int] = []
    trainer.model.register_forward_pre_hook(lambda _, args: sides.append(args[0].shape[-1]))
    list(trainer.run())
    learning = sides[: trainer.steps]
    assert learning == [64] * 4 + [96] * 4
    assert set(sides[trainer.steps :]) == {96}
    # Of those at the full side the first begins the clock.
    assert len(trainer.history.step_s) == 3
    assert dataclasses.replace(ours, grows=False).side_at(0, 9) == 96


def test_batch_norm_can_be_trained(recipe: Recipe) -> None:
    trainer = make_trainer(dataclasses.replace(recipe, freezes_batch_norm=False, epochs=1))
    before = weights_of(trainer)["norm.running_mean"].clone()
    list(trainer.run())
    assert trainer.folded == 0
    assert not torch.equal(weights_of(trainer)["norm.running_mean"], before)


def test_batch_norm_learns_nothing_from_the_test_photographs(recipe: Recipe) -> None:
    trainer = make_trainer(dataclasses.replace(recipe, freezes_batch_norm=False))
    before = {name: value.clone() for name, value in weights_of(trainer).items()}
    modes = [layer.training for layer in trainer.model.modules()]
    trainer.accuracy(trainer.photographs.test_images, trainer.photographs.test_labels)
    assert all(torch.equal(value, before[name]) for name, value in weights_of(trainer).items())
    assert [layer.training for layer in trainer.model.modules()] == modes


@pytest.mark.parametrize("stop_after", [1, 5, 7, 12])
def test_stopped_and_resumed_it_is_bitwise_the_same(recipe: Recipe, tmp_path: Path, stop_after: int) -> None:
    whole = make_trainer(recipe)
    list(whole.run())
    path = tmp_path / "finetune.pt"
    stopped = make_trainer(recipe, path=path)
    stopped.deadline = 0.5
    stopped.now = lambda: float(stopped.history.step >= stop_after)
    list(stopped.run())
    assert stopped.history.step == stop_after
    resumed = make_trainer(recipe, path=path)
    resumed.resume(checkpoint.read(path))
    list(resumed.run())
    assert resumed.history.resumed == 1
    assert resumed.history.losses == whole.history.losses
    assert [one.accuracy for one in resumed.history.epochs] == [one.accuracy for one in whole.history.epochs]
    for name, tensor in weights_of(whole).items():
        assert torch.equal(weights_of(resumed)[name], tensor), name


@pytest.mark.usefixtures("one_thread")
def test_killed_and_resumed_it_is_bitwise_the_same(recipe: Recipe, tmp_path: Path) -> None:
    recipe = dataclasses.replace(recipe, epochs=60)
    path = tmp_path / "finetune.pt"
    order = Order(recipe, 1, checkpoint=path, checkpoint_every_s=0.0)
    command = [sys.executable, "-m", "torchstone.training", *arguments_of(order)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    victim = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)
    deadline = time.monotonic() + 120
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(victim.pid, signal.SIGKILL)
    victim.wait()
    content = checkpoint.read(path)
    assert 0 < content["history"]["step"] < 300
    whole, resumed = make_trainer(recipe), make_trainer(recipe)
    list(whole.run())
    resumed.resume(content)
    list(resumed.run())
    for name, tensor in weights_of(whole).items():
        assert torch.equal(weights_of(resumed)[name], tensor), name


def test_another_recipe_is_not_resumed(recipe: Recipe, tmp_path: Path) -> None:
    trainer = make_trainer(recipe, path=tmp_path / "finetune.pt")
    trainer.save()
    other = make_trainer(dataclasses.replace(recipe, seed=4))
    with pytest.raises(UserError, match="another recipe"):
        other.resume(checkpoint.read(tmp_path / "finetune.pt"))


def test_a_loss_that_is_no_number_ends_it(recipe: Recipe) -> None:
    trainer = make_trainer(dataclasses.replace(recipe, model=recipe.model.replace(":net", ":blind")))
    with pytest.raises(DivergedError, match="diverged"):
        list(trainer.run())


def test_on_another_device_it_computes_the_same(recipe: Recipe) -> None:
    here, there = make_trainer(recipe), make_trainer(recipe, "pretend:0")
    list(here.run())
    list(there.run())
    assert there.history.losses == pytest.approx(here.history.losses, rel=1e-3)
    assert there.history.epochs[-1].accuracy == pytest.approx(here.history.epochs[-1].accuracy, abs=0.1)
