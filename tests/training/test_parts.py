"""The parts of the trainer: order and turns, the schedule, the last layer, the probe, first losses, checkpoints."""

import dataclasses
from pathlib import Path

import numpy
import pytest
import torch
from tests.training.conftest import SIDE, make_trainer
from torch import nn

import torchstone.pretend as pretend
from torchstone.errors import UserError
from torchstone.training import checkpoint
from torchstone.training.classifier import build_classifier, fixed_side, logits_of
from torchstone.training.first_losses import compare_first_losses
from torchstone.training.folding import fold_frozen_batch_norms
from torchstone.training.photographs import load_data, order_of_epoch, place, prepare_photographs, resize
from torchstone.training.probe import affordable_images, run_probe
from torchstone.training.recipe import FULL, SCALES, Recipe, choose_scale, fine_tuning_s, from_fields, to_fields
from torchstone.training.recording import explain_shrinking, target_accuracy
from torchstone.training.schedule import growing_work, learning_rate_at, side_at


def test_the_schedule_is_torchs_own() -> None:
    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    theirs = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=2e-4, total_steps=50)
    for step in range(50):
        assert learning_rate_at(step, 50, 2e-4) == pytest.approx(theirs.get_last_lr()[0], rel=1e-9)
        optimizer.step()
        if step < 49:
            theirs.step()
    assert learning_rate_at(0, 1, 2e-4) > 0


def test_photographs_grow_to_the_full_side_in_four_parts() -> None:
    assert [side_at(step, 8, 192) for step in range(8)] == [128, 128, 160, 160, 192, 192, 192, 192]
    assert [side_at(step, 5, 96) for step in range(5)] == [64, 64, 64, 96, 96]
    assert [side_at(step, 4, 64) for step in range(4)] == [64] * 4
    assert side_at(0, 1, 192) == 128
    assert growing_work(192) == pytest.approx((128**2 + 160**2 + 2 * 192**2) / (4 * 192**2))
    assert growing_work(48) == 1.0


def test_the_order_follows_from_seed_and_epoch_and_is_whole(recipe: Recipe) -> None:
    turning = dataclasses.replace(recipe, augmentation="turns")
    order, positions = order_of_epoch(turning, 2, 100)
    again, same = order_of_epoch(turning, 2, 100)
    assert torch.equal(order, again)
    assert torch.equal(positions, same)
    assert sorted(order.tolist()) == list(range(100))
    assert set(positions.tolist()) == set(range(8))
    assert not torch.equal(order, order_of_epoch(turning, 3, 100)[0])
    assert not torch.equal(order, order_of_epoch(dataclasses.replace(turning, seed=4), 2, 100)[0])


def test_the_eight_positions_of_a_square_are_eight() -> None:
    image = torch.arange(9, dtype=torch.uint8).reshape(1, 1, 3, 3).expand(8, 1, 3, 3)
    placed = place(image, torch.arange(8))
    assert len({tuple(one.flatten().tolist()) for one in placed}) == 8
    assert torch.equal(placed[0], image[0])
    assert torch.equal(placed[4], image[0].flip(-1))


def test_resizing_keeps_bytes_and_means() -> None:
    images = numpy.full((3, 40, 40, 1), 77, dtype=numpy.uint8)
    small = resize(images, 20)
    assert (small.shape, small.dtype) == ((3, 1, 20, 20), torch.uint8)
    assert set(small.flatten().tolist()) == {77}


def test_fewer_photographs_keep_the_proportions(recipe: Recipe) -> None:
    some = prepare_photographs(dataclasses.replace(recipe, most_images=20), load_data(recipe))
    parts = (some.train_labels, some.validation_labels, some.test_labels)
    assert sum(len(part) for part in parts) == 20
    assert torch.bincount(some.train_labels).min() >= 6
    assert torch.bincount(some.validation_labels).min() == 1


def test_what_is_learnt_chosen_and_tested_by_are_apart(recipe: Recipe) -> None:
    whole = prepare_photographs(recipe, load_data(recipe))
    parts = (whole.train_images, whole.validation_images, whole.test_images)
    seen = [{bytes(image.numpy()) for image in part} for part in parts]
    assert sum(len(part) for part in seen) == len(set.union(*seen))


def test_the_target_is_set_by_the_data_alone() -> None:
    assert target_accuracy(0.5) == 0.75
    assert target_accuracy(0.6) == 0.8


def test_decoding_fewer_photographs_chooses_the_same_ones() -> None:
    few = Recipe(side=32, most_images=24)
    whole = dataclasses.replace(few, most_images=None)
    one, other = (prepare_photographs(few, load_data(recipe)) for recipe in (few, whole))
    assert torch.equal(one.train_images, other.train_images), "a resumed training sees what the first one saw"
    assert torch.equal(one.test_labels, other.test_labels)


@pytest.mark.parametrize(
    ("name", "complaint"), [("text", "not one batch of images"), ("headless", "logits"), ("absent", "absent")]
)
def test_a_model_that_cannot_be_fine_tuned_is_refused(recipe: Recipe, name: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        build_classifier(dataclasses.replace(recipe, model=recipe.model.replace(":net", f":{name}")), 2)


def test_the_last_layer_fits_the_classes_and_comes_from_the_seed(recipe: Recipe) -> None:
    one, same = build_classifier(recipe, 5), build_classifier(recipe, 5)
    assert one.head.out_features == 5
    assert torch.equal(one.head.weight, same.head.weight)
    assert logits_of(one.model(torch.zeros(2, 3, SIDE, SIDE))).shape == (2, 5)
    assert fixed_side(recipe) == SIDE
    assert fixed_side(Recipe()) is None


def test_only_what_follows_a_convolution_alone_is_folded() -> None:
    class Shared(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.convolution = nn.Conv2d(3, 3, 1, bias=False)
            self.norm = nn.BatchNorm2d(3)

        def forward(self, images: torch.Tensor) -> torch.Tensor:
            out = self.convolution(images)
            both: torch.Tensor = self.norm(out) + out
            return both

    model = Shared().eval()
    before = model(torch.ones(1, 3, 4, 4))
    assert fold_frozen_batch_norms(model) == 0
    assert torch.equal(model(torch.ones(1, 3, 4, 4)), before)
    assert fold_frozen_batch_norms(nn.Sequential(nn.Conv2d(3, 3, 1, bias=False), nn.BatchNorm2d(3)).eval()) == 1


def test_seconds_that_are_overspent_afford_no_image(recipe: Recipe) -> None:
    assert affordable_images(make_trainer(recipe), -30.0) == 0


def test_the_probe_learns_without_training_the_model(recipe: Recipe) -> None:
    trainer = make_trainer(recipe)
    before = {name: tensor.clone() for name, tensor in trainer.model.state_dict().items()}
    result = run_probe(trainer)
    assert result.accuracy > 0.7
    assert result.features == 8
    assert all(torch.equal(tensor, before[name]) for name, tensor in trainer.model.state_dict().items())


def test_first_losses_agree_on_the_cpu_and_on_a_right_device(recipe: Recipe) -> None:
    photographs = prepare_photographs(recipe, load_data(recipe))
    classifier = build_classifier(recipe, 2)
    for device in ("cpu", "pretend:0"):
        found = compare_first_losses(recipe, classifier, photographs, device)
        assert found.explain_wrong() is None
        assert found.device == pytest.approx(found.exact, rel=1e-4)
        assert len(set(found.exact)) == 3


def test_first_losses_of_a_wrong_device_are_wrong(recipe: Recipe) -> None:
    photographs = prepare_photographs(recipe, load_data(recipe))
    with pretend.configure(wrong={"aten::convolution"}):
        found = compare_first_losses(recipe, build_classifier(recipe, 2), photographs, "pretend:0")
    assert "but" in (found.explain_wrong() or "")


def test_a_smaller_budget_gives_a_smaller_scale_and_says_so() -> None:
    chosen = [choose_scale(seconds, 2624, fine_tuning_s) for seconds in (0.0, 5.0, 20.0, 60.0, 300.0, 3600.0)]
    assert [SCALES.index(scale) for scale in chosen] == sorted((SCALES.index(one) for one in chosen), reverse=True)
    assert chosen[0] is SCALES[-1]
    assert chosen[-1] is FULL
    assert explain_shrinking(Recipe(), 2624) is None
    assert "96 pixels instead of 192, 300 of 2624 images" in str(
        explain_shrinking(Recipe(side=96, most_images=300), 2624)
    )


def test_a_recipe_goes_into_a_checkpoint_and_back() -> None:
    assert from_fields(to_fields(Recipe(side=64))) == Recipe(side=64)
    with pytest.raises(UserError, match="unknown parts: colour"):
        from_fields({"colour": 1})
    with pytest.raises(UserError, match="--epochs 0"):
        Recipe(epochs=0)


def test_a_checkpoint_is_found_by_file_folder_or_run(tmp_path: Path) -> None:
    folder = tmp_path / "one.files"
    checkpoint.write(checkpoint.path_in(str(folder)), {"model": torch.ones(2)})
    for named in (folder, folder / "finetune.pt", tmp_path / "one.jsonl"):
        assert torch.equal(checkpoint.read(checkpoint.locate(str(named)))["model"], torch.ones(2))
    assert [path.name for path in folder.iterdir()] == ["finetune.pt"]
    with pytest.raises(UserError, match="no checkpoint"):
        checkpoint.locate(str(tmp_path / "two.jsonl"))
    (tmp_path / "two.files").symlink_to("one.files")
    with pytest.raises(UserError, match="is a link"):
        checkpoint.locate(str(tmp_path / "two.jsonl"))


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "finetune.pt"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(UserError, match="not a checkpoint that can be read"):
        checkpoint.read(path)
    torch.save({"weights": 1}, path)
    with pytest.raises(UserError, match="of this version"):
        checkpoint.read(path)


def test_a_failed_write_leaves_the_old_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "finetune.pt"
    checkpoint.write(path, {"model": 1})
    with pytest.raises((TypeError, AttributeError, RuntimeError, OSError, ValueError)):
        checkpoint.write(path, {"model": (part for part in "abc")})
    assert checkpoint.read(path)["model"] == 1
    assert list(tmp_path.iterdir()) == [path]
