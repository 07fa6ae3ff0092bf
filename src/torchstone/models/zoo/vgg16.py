"""VGG-16, 138 million parameters: large matrices and much memory traffic.

Simonyan and Zisserman 2014 (arXiv:1409.1556), configuration D without batch norm. Names and shapes of the parameters
are torchvision's, so that its weights load.
"""

from torch import Tensor, nn

from torchstone.data.seeding import seeded
from torchstone.models.classification import (
    IMAGENET_CLASSES,
    IMAGENET_MEAN,
    IMAGENET_STD,
    classification_loss,
    random_images,
    soft_targets,
)
from torchstone.models.inputs import Inputs
from torchstone.models.zoo import Facts

FACTS = Facts(
    item="images",
    parameters=138_357_544,
    flop=3.1e10,
    source="torchvision's vgg16, written anew; random weights",
    classes=IMAGENET_CLASSES,
    pixel_mean=IMAGENET_MEAN,
    pixel_std=IMAGENET_STD,
)
GROUPS = ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3))
"""Channels and the number of convolutions between two poolings."""

training_loss = classification_loss


def build(seed: int, classes: int = IMAGENET_CLASSES) -> nn.Module:
    with seeded(seed):
        return VGG16(classes).eval()


def example_inputs(batch: int, seed: int) -> Inputs:
    return random_images(batch, seed)


def example_targets(batch: int, seed: int) -> Tensor:
    return soft_targets(batch, IMAGENET_CLASSES, seed)


def initialize(module: nn.Module) -> None:
    """As torchvision does."""
    for layer in module.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")
        if isinstance(layer, nn.Linear):
            nn.init.normal_(layer.weight, std=0.01)
        if isinstance(layer, nn.Conv2d | nn.Linear) and layer.bias is not None:
            nn.init.zeros_(layer.bias)


def _features() -> nn.Sequential:
    layers: list[nn.Module] = []
    channels_in = 3
    for channels, convolutions in GROUPS:
        for _ in range(convolutions):
            layers += [nn.Conv2d(channels_in, channels, kernel_size=3, padding=1), nn.ReLU(inplace=True)]
            channels_in = channels
        layers.append(nn.MaxPool2d(kernel_size=2, stride=2))
    return nn.Sequential(*layers)


class VGG16(nn.Module):
    """Images (N, 3, H, W) to logits (N, num_classes)."""

    def __init__(self, num_classes: int = IMAGENET_CLASSES, dropout: float = 0.5) -> None:
        super().__init__()
        self.features = _features()
        self.avgpool = nn.AdaptiveAvgPool2d((7, 7))
        self.classifier = nn.Sequential(
            nn.Linear(512 * 7 * 7, 4096),
            nn.ReLU(inplace=True),
            nn.Dropout(dropout),
            nn.Linear(4096, 4096),
            nn.ReLU(inplace=True),
            nn.Dropout(dropout),
            nn.Linear(4096, num_classes),
        )
        initialize(self)

    def feature_maps(self, images: Tensor) -> Tensor:
        """The last convolution's output before pooling, (N, 512, H/16, W/16), which Grad-CAM weighs."""
        for layer in list(self.features)[:-1]:
            images = layer(images)
        return images

    def classify(self, feature_maps: Tensor) -> Tensor:
        """What remains after `feature_maps`."""
        pooled = self.avgpool(self.features[-1](feature_maps))
        logits: Tensor = self.classifier(pooled.flatten(1))
        return logits

    def forward(self, images: Tensor) -> Tensor:
        return self.classify(self.feature_maps(images))
