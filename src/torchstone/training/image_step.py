"""One training step, complete: forward, loss, backward, gradient descent, gradients cleared.

The learning rate is zero. The arithmetic is the same, but the weights stay, so that every step's loss can be held
against the same reference, and no number of steps lets a model drift to infinity. The descent is written out, because
the first use of `torch.optim` imports torch.compile's machinery, which takes longer than a whole quick round.
"""

import copy
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.models.classification import soft_targets
from torchstone.models.inputs import Inputs, tensors_in
from torchstone.models.small import CLASSES, load_convnet

BATCH = 16
SIDE = 32
SEED = 0
LEARNING_RATE = 0.0
TOLERANCE = 2**-8
"""Of the loss: four units of TF32, in which CUDA's convolutions compute by default."""


@dataclass
class ImageStep:
    """A small convolutional network's step, whose batch of images is copied to the device in it or beforehand."""

    model: nn.Module
    host_images: Tensor
    images: Tensor
    targets: Tensor
    expected_loss: float
    loss: Tensor | None = None

    def with_copy(self) -> Tensor:
        """The step as a data loader feeds it."""
        self.images.copy_(self.host_images)
        return self.resident()

    def resident(self) -> Tensor:
        """The step on the batch that is there."""
        self.loss = functional.cross_entropy(self.model(self.images), self.targets)
        self.loss.backward()  # type: ignore[no-untyped-call]
        descend(self.model)
        return self.loss

    def disagreement(self) -> str | None:
        """What is wrong with the last step's loss, or None."""
        found = float("nan") if self.loss is None else self.loss.item()
        if abs(found - self.expected_loss) <= TOLERANCE * abs(self.expected_loss):
            return None
        return f"the loss is {found:.6g}, but {self.expected_loss:.6g} on the CPU in float64"


def prepare_image_step(device: str) -> ImageStep:
    """Model, optimizer and batch on the device, and what the loss should be."""
    target = load_convnet(SEED, BATCH, SIDE)
    images: Tensor = target.inputs.args[0]
    targets = soft_targets(BATCH, CLASSES, SEED)
    reference = copy.deepcopy(target.model).double().train()
    expected = functional.cross_entropy(reference(images.double()), targets.double()).item()
    model = target.model.to(device).train()
    empty = torch.zeros_like(images).to(device)
    return ImageStep(model, images, empty, targets.to(device), expected)


@torch.no_grad()
def descend(model: nn.Module) -> None:
    """Stochastic gradient descent that leaves the weights where they are, and no gradients behind."""
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.add_(parameter.grad, alpha=-LEARNING_RATE)
            parameter.grad = None


def train_on_anything(model: nn.Module, inputs: Inputs) -> None:
    """A step of a model whose targets nobody knows: towards outputs of zero."""
    outputs = tensors_in(model(*inputs.args, **inputs.kwargs))
    losses = [output.float().square().mean() for output in outputs if output.requires_grad]
    torch.stack(losses).sum().backward()  # type: ignore[no-untyped-call]
    descend(model)
