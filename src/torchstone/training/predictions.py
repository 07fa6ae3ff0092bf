"""What the trained model says of photographs that it has not learnt from: which of them to show, and how they look.

Half of those shown are the mistakes that the model was surest of, the other half the first that it named rightly, in
turn for each class: neither the best nor a fair sample, and the records say so. Beside each stands where the evidence
for the named class lies (Grad-CAM), in viridis, which people with every kind of colour vision read alike, and which
grows lighter as the evidence grows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy
import torch
from numpy.typing import NDArray
from PIL import Image
from torch import Tensor
from torch.nn import functional

from torchstone.training.classifier import logits_of
from torchstone.training.gradcam import Evidence, NoMapError, evaluating, find_evidence
from torchstone.training.recipe import TEST_SHARE_OF_TRAIN
from torchstone.training.trainer import TEST_BATCH, Trainer

SHOWN = 8
SHOWN_SIDE = 224
"""Pixels: what the model saw is drawn at this size, be it smaller or larger."""
QUALITY = 85
VIRIDIS = numpy.array(
    [
        (68, 1, 84),
        (71, 44, 122),
        (59, 81, 139),
        (44, 113, 142),
        (33, 144, 141),
        (39, 173, 129),
        (92, 200, 99),
        (170, 220, 50),
        (253, 231, 37),
    ],
    dtype=numpy.float32,
)
"""Nine even steps of it (van der Walt and Smith 2015, matplotlib's)."""
FAINTEST, STRONGEST = 0.25, 0.7
"""How much of the colour covers the photograph, from no evidence to the most."""
ROWS, COLUMNS = ("at the top", "", "at the bottom"), ("on the left", "", "on the right")
Pixels = NDArray[numpy.uint8]


@dataclass(frozen=True)
class Prediction:
    """What the model says of one photograph."""

    row: int
    """Among the test photographs."""
    truth: int
    named: int
    confidence: float
    """The softmax of the class that it named."""

    @property
    def is_right(self) -> bool:
        return self.truth == self.named


@dataclass(frozen=True)
class Shown:
    """A prediction whose photograph is kept beside the run."""

    prediction: Prediction
    photograph: str
    """A file's name."""
    overlay: str | None
    no_overlay: str | None
    """Why there is no overlay."""
    strongest: str | None = None
    """The place of the most evidence, for those who can't see the overlay."""
    grid: str | None = None
    """How many places the network's own map has."""


def look(trainer: Trainer, seconds: float) -> list[Prediction]:
    """What the model says of the test photographs, in their order: of all of them, or of as many as time allows."""
    found: list[Prediction] = []
    until, batch_s = trainer.now() + seconds, _expected_batch_s(trainer)
    with evaluating(trainer.model), torch.inference_mode():
        for rows in torch.split(torch.arange(len(trainer.photographs.test_labels)), TEST_BATCH):
            before = trainer.now()
            if before + batch_s > until:
                break
            logits = logits_of(trainer.model(trainer.as_input(trainer.photographs.test_images[rows])))
            found += _read(rows, trainer.photographs.test_labels[rows], logits.float().cpu())
            batch_s = trainer.now() - before
    return found


def _expected_batch_s(trainer: Trainer) -> float:
    """From the training's own steps, where any was timed: a slow device should not even begin."""
    timed = trainer.history.step_s
    return median(timed) * TEST_SHARE_OF_TRAIN * TEST_BATCH / trainer.recipe.batch if timed else 0.0


def _read(rows: Tensor, truths: Tensor, logits: Tensor) -> Iterator[Prediction]:
    confidences, named = logits.softmax(dim=1).max(dim=1)
    columns = (rows.tolist(), truths.tolist(), named.tolist(), confidences.tolist())
    return (Prediction(*one) for one in zip(*columns, strict=True))


def choose(predictions: list[Prediction], most: int = SHOWN) -> list[Prediction]:
    """The mistakes that the model was surest of, then the first right ones; in turn for each true class."""
    surest_first = sorted(predictions, key=lambda one: (-one.confidence, one.row))
    mistakes = _in_turn([one for one in surest_first if not one.is_right])
    right = _in_turn([one for one in predictions if one.is_right])
    wrong_share = max(most // 2, most - len(right))
    chosen = mistakes[:wrong_share]
    return chosen + right[: most - len(chosen)]


def _in_turn(predictions: list[Prediction]) -> list[Prediction]:
    """The first of each class, then the second of each, …; which class begins is decided by the order given."""
    taken: dict[int, int] = {}
    ranked = []
    for position, one in enumerate(predictions):
        turn = taken[one.truth] = taken.get(one.truth, -1) + 1
        ranked.append((turn, position, one))
    return [one for _, _, one in sorted(ranked, key=lambda entry: entry[:2])]


def keep(trainer: Trainer, chosen: list[Prediction], folder: Path, stem: str) -> Iterator[Shown]:
    """Write the photographs, and their overlays where the model has a map; raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    photographs = trainer.photographs.test_images[[one.row for one in chosen]]
    evidence, no_map = _evidence_for(trainer, photographs, [one.named for one in chosen])
    for number, one in enumerate(chosen):
        picture = draw_photograph(photographs[number])
        name = f"{stem}-{number + 1}-photograph.jpg"
        Image.fromarray(picture).save(folder / name, quality=QUALITY)
        if evidence is None or not bool(evidence.maps[number].any()):
            yield Shown(one, name, None, no_map or "nothing in the network's last map speaks for this class")
            continue
        overlay = f"{stem}-{number + 1}-evidence.jpg"
        strength = evidence.maps[number]
        Image.fromarray(draw_overlay(picture, strength)).save(folder / overlay, quality=QUALITY)
        yield Shown(one, name, overlay, None, name_place(strength), f"{evidence.grid[0]} × {evidence.grid[1]}")


def _evidence_for(trainer: Trainer, photographs: Tensor, named: list[int]) -> tuple[Evidence | None, str | None]:
    try:
        return find_evidence(trainer.model, trainer.as_input(photographs), torch.tensor(named)), None
    except NoMapError as error:
        return None, str(error)


def name_place(evidence: Tensor) -> str:
    """Which ninth of the image holds the most evidence."""
    ninths = functional.adaptive_avg_pool2d(evidence[None, None], len(ROWS)).flatten()
    row, column = divmod(int(ninths.argmax()), len(COLUMNS))
    return "in the middle" if (row, column) == (1, 1) else f"{ROWS[row]} {COLUMNS[column]}".strip()


def draw_photograph(photograph: Tensor) -> Pixels:
    """(channels, side, side) bytes as (SHOWN_SIDE, SHOWN_SIDE, 3), as the model saw it."""
    colours = photograph.expand(3, -1, -1).permute(1, 2, 0).contiguous().numpy()
    drawn = Image.fromarray(colours).resize((SHOWN_SIDE, SHOWN_SIDE), Image.Resampling.BICUBIC)
    return numpy.asarray(drawn)


def draw_overlay(picture: Pixels, evidence: Tensor) -> Pixels:
    """Evidence from 0 to 1 in colour over the picture, without its own colours, which could be taken for evidence."""
    size = (SHOWN_SIDE, SHOWN_SIDE)
    strength = numpy.asarray(Image.fromarray(evidence.numpy()).resize(size, Image.Resampling.BICUBIC)).clip(0, 1)
    grey = numpy.asarray(Image.fromarray(picture).convert("L"), dtype=numpy.float32)[..., numpy.newaxis]
    cover = (FAINTEST + (STRONGEST - FAINTEST) * strength)[..., numpy.newaxis]
    return ((1 - cover) * grey + cover * colour_of(strength)).round().clip(0, 255).astype(numpy.uint8)


def colour_of(strength: NDArray[numpy.float32]) -> NDArray[numpy.float32]:
    """Viridis for numbers from 0 to 1, with a last dimension of red, green and blue."""
    places = numpy.linspace(0, 1, len(VIRIDIS))
    return numpy.stack([numpy.interp(strength, places, channel) for channel in VIRIDIS.T], axis=-1)
