"""Grad-CAM: which places of an image speak for a class."""

import torch
from torch import Tensor, nn
from torch.nn import functional


def gradcam(net: nn.Module, layer: nn.Module, images: Tensor, targets: Tensor) -> Tensor:
    """(n, height, width): for each image a map from 0 to 1 of what spoke for its target class."""
    # TODO: 1. catch what the layer gives, and the gradient of the target scores in it
    # TODO: 2. to 4. weigh, add up, cut off below zero, stretch, scale
    raise NotImplementedError("gradcam")
