"""What image classifiers share: random images, random soft targets, the loss.

Soft targets, because PyTorch's post of May 2022 was measured with TorchBench's `torchvision` models, which train
towards the softmax of random numbers.
"""

from typing import Any

from torch import Tensor, nn, randn
from torch.nn import functional

from torchstone.data.seeding import generator
from torchstone.models.inputs import Inputs

SIDE = 224
"""ImageNet's usual crop, in pixels."""
IMAGENET_CLASSES = 1000
IMAGENET_MEAN = (123.675, 116.28, 103.53)
"""Of the three channels on a scale of 0 to 255: torchvision's 0.485, 0.456, 0.406."""
IMAGENET_STD = (58.395, 57.12, 57.375)
"""torchvision's 0.229, 0.224, 0.225 on a scale of 0 to 255."""


def random_images(batch: int, seed: int, side: int = SIDE) -> Inputs:
    """Normal noise: speed does not depend on what a picture shows, and normalized pictures have this scale."""
    return Inputs((randn(batch, 3, side, side, generator=generator(seed)),), {})


def soft_targets(batch: int, classes: int, seed: int) -> Tensor:
    """A probability for each class."""
    # Not the images' own seed: the targets should not repeat the images' numbers.
    return randn(batch, classes, generator=generator(seed + 1)).softmax(dim=1)


def classification_loss(model: nn.Module, inputs: Inputs, targets: Tensor) -> Tensor:
    """Cross entropy; works with class probabilities and with class numbers."""
    output: Any = model(*inputs.args, **inputs.kwargs)
    logits = output if isinstance(output, Tensor) else output.logits
    return functional.cross_entropy(logits, targets)
