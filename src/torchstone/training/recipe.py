"""What is trained on what, and how: everything that the final weights depend on, apart from the hardware.

It is written into every checkpoint, so that a resumed run is the same run, and it becomes the arguments of every
process of a team, so that all of them do the same.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from torchstone.errors import UserError
from torchstone.training.schedule import growing_work, side_at

Augmentation = Literal["turns", "mirror", "none"]
ZOO = "zoo:"
LITE0 = f"{ZOO}efficientnet_lite0"
SMALLEST_SIDE = 32
"""Pixels: EfficientNet halves the side five times."""
TRAIN_S_PER_MEGAPIXEL = 1.0
"""Lite0, forward and backward, on two cores of a busy shared virtual machine, where one thread took 1.8 to 2.3 seconds
of CPU time a megapixel at 96 to 192 pixels; decides what fits in a budget."""
TEST_SHARE_OF_TRAIN = 0.3
"""The forward pass alone, beside a whole step."""
TRAIN_SHARE = 0.75


@dataclass(frozen=True)
class Recipe:
    """The defaults are those of the ELPV photographs at full size."""

    model: str = LITE0
    input_shape: str | None = None
    data: str | None = None
    """A folder with one folder for each class; None for the ELPV photographs."""
    side: int = 192
    most_images: int | None = None
    """Of all, before they are split; None for as many as there are."""
    batch: int = 32
    """Of all processes together."""
    epochs: int = 8
    learning_rate: float = 2e-4
    """The highest; at 1e-3 without clipping the loss diverged."""
    weight_decay: float = 0.01
    clip_norm: float = 1.0
    augmentation: Augmentation = "turns"
    freezes_batch_norm: bool = True
    """Its statistics stay ImageNet's: those of small batches made the result worse."""
    grows: bool = True
    """From two thirds of the side to the whole; a model that takes one side only learns from the whole throughout."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("side", "batch", "epochs", "learning_rate", "clip_norm"):
            if not getattr(self, name) > 0:
                shown = name.replace("_", "-")
                raise UserError(f"--{shown} {getattr(self, name):g} trains nothing", "give a number above zero")

    @property
    def takes_any_side(self) -> bool:
        """Our models do; of a person's own only the side of its example is known."""
        return self.model.startswith(ZOO)

    def side_at(self, step: int, steps: int) -> int:
        """Of the photographs that this step learns from."""
        return side_at(step, steps, self.side) if self.grows and self.takes_any_side else self.side


@dataclass(frozen=True)
class Scale:
    """How much of the full recipe a budget can hold."""

    side: int
    most_images: int | None
    epochs: int


FULL = Scale(192, None, 8)
SCALES = (
    FULL,
    Scale(192, None, 4),
    Scale(160, None, 3),
    Scale(128, None, 3),
    Scale(128, 1312, 2),
    Scale(96, 1312, 2),
    Scale(96, 656, 2),
    Scale(96, 328, 2),
    Scale(64, 328, 2),
    Scale(64, 164, 1),
)
"""From the full recipe down. Chosen by the seconds alone, never by the device's speed: every device then trains the
same, and the same names are compared."""


def choose_scale(seconds: float, images: int, needed_s: Callable[[Scale, int], float]) -> Scale:
    """The largest that fits on two slow cores; the smallest where none does."""
    return next((scale for scale in SCALES if needed_s(scale, images) <= seconds), SCALES[-1])


def fine_tuning_s(scale: Scale, images: int) -> float:
    """About how long it takes on two cores, the accuracy after each epoch included."""
    work = TRAIN_SHARE * growing_work(scale.side) + (1 - TRAIN_SHARE) * TEST_SHARE_OF_TRAIN
    return scale.epochs * _pass_s(scale, images) * work


def probing_s(scale: Scale, images: int) -> float:
    """About how long the features of all photographs take on two cores."""
    return _pass_s(scale, images) * TEST_SHARE_OF_TRAIN


def _pass_s(scale: Scale, images: int) -> float:
    count = min(images, scale.most_images or images)
    return count * scale.side**2 / 1e6 * TRAIN_S_PER_MEGAPIXEL


def scaled(recipe: Recipe, scale: Scale) -> Recipe:
    """The recipe at that scale."""
    return dataclasses.replace(recipe, side=scale.side, most_images=scale.most_images, epochs=scale.epochs)


def to_fields(recipe: Recipe) -> dict[str, Any]:
    """For a checkpoint, which holds plain values only."""
    return dataclasses.asdict(recipe)


def from_fields(fields: dict[str, Any]) -> Recipe:
    """The recipe of a checkpoint or an argument; a field that this version does not know is a mistake of version."""
    known = {field.name for field in dataclasses.fields(Recipe)}
    unknown = sorted(set(fields) - known)
    if unknown:
        raise UserError(f"the recipe has unknown parts: {', '.join(unknown)}", "use the torchstone it is of")
    try:
        return msgspec.convert(fields, Recipe)
    except msgspec.ValidationError as error:
        raise UserError(f"the recipe cannot be used: {error}", f"its parts are {', '.join(sorted(known))}") from None


def from_json(text: str) -> Recipe:
    """A recipe as it travels to the processes of a team: the parts that differ from the default."""
    try:
        fields = msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise UserError(f"the recipe is not a JSON object: {error}", 'such as {"epochs": 2, "side": 128}') from None
    return from_fields(fields)
