"""AlexNet, 61 million parameters: little arithmetic, so that overheads show.

Krizhevsky 2014, "one weird trick" (arXiv:1404.5997), as torchvision has it. Names and shapes of the parameters are
torchvision's, so that its weights load.
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
    parameters=61_100_840,
    flop=1.4e9,
    source="torchvision's alexnet, written anew; random weights",
    classes=IMAGENET_CLASSES,
    pixel_mean=IMAGENET_MEAN,
    pixel_std=IMAGENET_STD,
)

training_loss = classification_loss


def build(seed: int, classes: int = IMAGENET_CLASSES) -> nn.Module:
    with seeded(seed):
        return AlexNet(classes).eval()


def example_inputs(batch: int, seed: int) -> Inputs:
    return random_images(batch, seed)


def example_targets(batch: int, seed: int) -> Tensor:
    return soft_targets(batch, IMAGENET_CLASSES, seed)


class AlexNet(nn.Module):
    """Images (N, 3, H, W) to logits (N, num_classes)."""

    def __init__(self, num_classes: int = IMAGENET_CLASSES, dropout: float = 0.5) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 64, kernel_size=11, stride=4, padding=2),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2),
            nn.Conv2d(64, 192, kernel_size=5, padding=2),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2),
            nn.Conv2d(192, 384, kernel_size=3, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(384, 256, kernel_size=3, padding=1),
            nn.ReLU(inplace=True),
            nn.Conv2d(256, 256, kernel_size=3, padding=1),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(kernel_size=3, stride=2),
        )
        self.avgpool = nn.AdaptiveAvgPool2d((6, 6))
        self.classifier = nn.Sequential(
            nn.Dropout(dropout),
            nn.Linear(256 * 6 * 6, 4096),
            nn.ReLU(inplace=True),
            nn.Dropout(dropout),
            nn.Linear(4096, 4096),
            nn.ReLU(inplace=True),
            nn.Linear(4096, num_classes),
        )

    def feature_maps(self, images: Tensor) -> Tensor:
        """The last convolution's output before pooling, (N, 256, 13, 13) for 224², which Grad-CAM weighs."""
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
