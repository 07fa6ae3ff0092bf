"""ViT-B/16, 86.6 million parameters: attention over patches of an image.

Dosovitskiy et al. 2020 (arXiv:2010.11929), from transformers' `ViTConfig` with 1,000 classes; random weights.
"""

from torch import Tensor, nn

from torchstone.models.classification import IMAGENET_CLASSES, classification_loss, random_images, soft_targets
from torchstone.models.inputs import Inputs
from torchstone.models.text import ATTENTION, from_config
from torchstone.models.zoo import Facts

FACTS = Facts(
    item="images",
    parameters=86_567_656,
    flop=3.4e10,
    source="transformers' ViTForImageClassification from ViTConfig; random weights",
    classes=IMAGENET_CLASSES,
    pixel_mean=(127.5, 127.5, 127.5),
    pixel_std=(127.5, 127.5, 127.5),
    attention=ATTENTION,
)

training_loss = classification_loss


def build(seed: int, classes: int = IMAGENET_CLASSES) -> nn.Module:
    return from_config("ViTForImageClassification", "ViTConfig", seed, num_labels=classes)


def example_inputs(batch: int, seed: int) -> Inputs:
    return random_images(batch, seed)


def example_targets(batch: int, seed: int) -> Tensor:
    return soft_targets(batch, IMAGENET_CLASSES, seed)
