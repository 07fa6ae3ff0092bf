"""Pictures that exercises draw: PNGs in the learner's `.torchstone/pictures`, for the learner to look at."""

import io

import torch
from PIL import Image

from torchstone.learn.grading.checks import expect
from torchstone.learn.grading.session import session
from torchstone.learn.verdicts import Picture

Image.preinit()  # here, before the fork: a process that saves its first picture would spend 25 ms on importing formats
SMALLEST_SIDE = 256
"""Tiny images are enlarged, so that a person can see their pixels."""


def save_picture(name: str, image: torch.Tensor) -> None:
    """Keep an image: (H, W) or (3, H, W); stretched to its own range unless it is bytes."""
    values = to_bytes(image)
    picture = Image.fromarray(values.numpy() if values.dim() == 2 else values.permute(1, 2, 0).contiguous().numpy())
    scale = -(-SMALLEST_SIDE // max(1, min(picture.size)))
    if scale > 1:
        picture = picture.resize((picture.width * scale, picture.height * scale), Image.Resampling.NEAREST)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    session.pictures.append(Picture(name=name, png=buffer.getvalue()))


def to_bytes(image: torch.Tensor) -> torch.Tensor:
    """Values from 0 to 255, on the CPU."""
    image = image.detach().to("cpu")
    expect(
        image.dim() == 2 or (image.dim() == 3 and image.shape[0] == 3),
        f"a picture is (H, W) or (3, H, W), and this one is {list(image.shape)}",
    )
    if image.dtype == torch.uint8:
        return image
    image = image.float()
    low, high = image.min(), image.max()
    return ((image - low) / (high - low).clamp_min(1e-12) * 255).round().to(torch.uint8)
