"""A tiny model and a tiny folder of photographs: a training takes milliseconds."""

from pathlib import Path

import numpy
import pytest
import torch
from PIL import Image

import torchstone.pretend as pretend
from torchstone.training.classifier import build_classifier
from torchstone.training.photographs import load_data, prepare_photographs
from torchstone.training.recipe import Recipe
from torchstone.training.trainer import Trainer

SIDE = 16
SOURCE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.norm.running_mean.fill_(0.3)
        self.norm.running_var.fill_(2.0)
        self.second = nn.Conv2d(8, 8, 3, stride=2, bias=False)
        self.other = nn.BatchNorm2d(8)
        self.drop = nn.Dropout(0.5)
        self.last = nn.Linear(8, 10)
    def forward(self, images):
        out = torch.relu(self.norm(self.first(images)))
        out = torch.relu(self.other(self.second(out)))
        return {"scores": self.last(self.drop(out.mean((2, 3))))}

def net(): return Net(), (torch.zeros(1, 3, 16, 16),)
def text(): return nn.Embedding(9, 2), (torch.zeros(1, 4, dtype=torch.long),)
def headless(): return nn.Conv2d(3, 4, 3), (torch.zeros(1, 3, 16, 16),)
class Blind(Net):
    def forward(self, images):
        return {name: scores * float("nan") for name, scores in super().forward(images).items()}
def blind(): return Blind(), (torch.zeros(1, 3, 16, 16),)
"""


@pytest.fixture(autouse=True)
def in_one_thread(one_thread: None) -> None:
    pass


@pytest.fixture(autouse=True, scope="session")
def pretend_device() -> None:
    """Before the first backward pass of the process: autograd counts the devices then."""
    pretend.install()


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return furnish(tmp_path_factory.mktemp("workshop"))


def furnish(root: Path) -> Path:
    """`mine.py` with models, and `photographs/` with stripes that lie or stand, in noise."""
    (root / "mine.py").write_text(SOURCE)
    random = numpy.random.default_rng(0)
    for name, axis in (("lying", 0), ("standing", 1)):
        (root / "photographs" / name).mkdir(parents=True)
        for number in range(24):
            stripes = numpy.indices((SIDE, SIDE))[axis] // 2 % 2 * 120 + random.integers(0, 60, (SIDE, SIDE))
            picture = Image.fromarray(stripes.astype(numpy.uint8)).convert("RGB")
            picture.save(root / "photographs" / name / f"{number}.png")
    return root


@pytest.fixture
def recipe(workshop: Path) -> Recipe:
    """33 photographs to train on in batches of 8: the last batch has a single one."""
    return Recipe(
        model=f"{workshop / 'mine.py'}:net",
        data=str(workshop / "photographs"),
        side=SIDE,
        batch=8,
        epochs=3,
        learning_rate=1e-2,
        augmentation="mirror",
        seed=3,
    )


def make_trainer(recipe: Recipe, device_id: str = "cpu", path: Path | None = None, plain: bool = False) -> Trainer:
    photographs = prepare_photographs(recipe, load_data(recipe))
    classifier = build_classifier(recipe, len(photographs.classes))
    return Trainer(recipe, classifier, photographs, device_id, path=path, plain=plain)


def weights_of(trainer: Trainer) -> dict[str, torch.Tensor]:
    return trainer.model.state_dict()
