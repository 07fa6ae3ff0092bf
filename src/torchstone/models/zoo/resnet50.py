"""ResNet-50, 25.6 million parameters: the usual convolutional network.

He et al. 2015 (arXiv:1512.03385) in the form that torchvision publishes ("v1.5": the stride stands in the 3×3
convolution). Names and shapes of the parameters are torchvision's, so that its weights load.
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
    parameters=25_557_032,
    flop=8.2e9,
    source="torchvision's resnet50, written anew; random weights",
    classes=IMAGENET_CLASSES,
    pixel_mean=IMAGENET_MEAN,
    pixel_std=IMAGENET_STD,
)
EXPANSION = 4
"""A bottleneck gives four times as many channels as its 3×3 convolution has."""

training_loss = classification_loss


def build(seed: int, classes: int = IMAGENET_CLASSES) -> nn.Module:
    with seeded(seed):
        return ResNet50(classes).eval()


def example_inputs(batch: int, seed: int) -> Inputs:
    return random_images(batch, seed)


def example_targets(batch: int, seed: int) -> Tensor:
    return soft_targets(batch, IMAGENET_CLASSES, seed)


def initialize(module: nn.Module) -> None:
    """As torchvision does: He's normal distribution by the number of outputs."""
    for layer in module.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.kaiming_normal_(layer.weight, mode="fan_out", nonlinearity="relu")


def _stage(channels_in: int, width: int, blocks: int, stride: int) -> nn.Sequential:
    first = Bottleneck(channels_in, width, stride)
    rest = (Bottleneck(width * EXPANSION, width, stride=1) for _ in range(blocks - 1))
    return nn.Sequential(first, *rest)


class Bottleneck(nn.Module):
    """Narrow, convolve, widen, and add what came in."""

    def __init__(self, channels_in: int, width: int, stride: int) -> None:
        super().__init__()
        channels_out = width * EXPANSION
        self.conv1 = nn.Conv2d(channels_in, width, kernel_size=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, kernel_size=3, stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, channels_out, kernel_size=1, bias=False)
        self.bn3 = nn.BatchNorm2d(channels_out)
        self.relu = nn.ReLU(inplace=True)
        self.downsample: nn.Module | None = None
        if stride != 1 or channels_in != channels_out:
            shortcut = nn.Conv2d(channels_in, channels_out, kernel_size=1, stride=stride, bias=False)
            self.downsample = nn.Sequential(shortcut, nn.BatchNorm2d(channels_out))

    def forward(self, images: Tensor) -> Tensor:
        shortcut = images if self.downsample is None else self.downsample(images)
        out = self.relu(self.bn1(self.conv1(images)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out += shortcut
        activated: Tensor = self.relu(out)
        return activated


class ResNet50(nn.Module):
    """Images (N, 3, H, W) to logits (N, num_classes)."""

    def __init__(self, num_classes: int = IMAGENET_CLASSES) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        self.layer1 = _stage(64, 64, blocks=3, stride=1)
        self.layer2 = _stage(256, 128, blocks=4, stride=2)
        self.layer3 = _stage(512, 256, blocks=6, stride=2)
        self.layer4 = _stage(1024, 512, blocks=3, stride=2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512 * EXPANSION, num_classes)
        initialize(self)

    def feature_maps(self, images: Tensor) -> Tensor:
        """The last convolutional block's output, (N, 2048, H/32, W/32), which Grad-CAM weighs."""
        out = self.maxpool(self.relu(self.bn1(self.conv1(images))))
        maps: Tensor = self.layer4(self.layer3(self.layer2(self.layer1(out))))
        return maps

    def classify(self, feature_maps: Tensor) -> Tensor:
        """What remains after `feature_maps`."""
        logits: Tensor = self.fc(self.avgpool(feature_maps).flatten(1))
        return logits

    def forward(self, images: Tensor) -> Tensor:
        return self.classify(self.feature_maps(images))
