"""Image processing as people do it: each step in Pillow, OpenCV and kornia, with the same meaning in all three.

A step takes what a program has in hand (JPEG bytes, or a batch of uint8 photographs on the host) and gives what that
library gives. So a library on a device pays for moving and converting its input, as it would in real work. Where the
libraries' algorithms differ (how they blur before shrinking, how they sample a rotation), outputs differ too:
`psnr` says by how much.
"""

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import torch
from numpy.typing import NDArray
from PIL import Image, ImageEnhance, ImageFilter, ImageOps
from torch import Tensor

from torchstone.errors import UserError
from torchstone.extras import import_extra

Photographs = NDArray[numpy.uint8]
"""(batch, side, side, 3) on the host."""

BLUR_SIGMA = 2.0
BLUR_WIDTH = 13
"""Odd and about six sigmas: what OpenCV takes by itself for that sigma."""
DEGREES = 15.0
BRIGHTNESS, CONTRAST, SATURATION = 1.2, 0.8, 1.3
MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)
"""ImageNet's, as every pre-trained classifier wants them."""
LUMA = (0.299, 0.587, 0.114)
"""ITU-R BT.601, by which Pillow and OpenCV make grey of colours."""


@dataclass(frozen=True)
class Step:
    """One thing that is done to photographs, in each library that does it."""

    name: str
    pillow: Callable[[Image.Image], Any]
    opencv: Callable[[Any, Any], Any]
    """Given the module and one photograph."""
    kornia: Callable[[Any, Tensor], Tensor]
    """Given the module and a float batch (batch, 3, side, side) from 0 to 1."""


def steps() -> dict[str, Step]:
    """All steps by name, in the order in which a pipeline has them."""
    found = (
        Step("resize", _resize_pillow, _resize_opencv, _resize_kornia),
        Step("crop", _crop_pillow, lambda _, one: _middle(one), lambda _, batch: _middle_of_batch(batch).contiguous()),
        Step("flip", ImageOps.mirror, lambda cv2, one: cv2.flip(one, 1), lambda _, batch: batch.flip(-1)),
        Step("colour jitter", _jitter_pillow, _jitter_opencv, _jitter_kornia),
        Step("blur", _blur_pillow, _blur_opencv, _blur_kornia),
        Step("rotate", _rotate_pillow, _rotate_opencv, _rotate_kornia),
        Step("normalize", _normalize_pillow, lambda _, one: _normalize(one), lambda _, batch: _normalize_batch(batch)),
    )
    return {step.name: step for step in found}


PIPELINE = ("resize", "crop", "flip", "colour jitter", "normalize")
"""What a classifier's training does to a photograph after decoding it."""


def run_pillow(names: Sequence[str], photographs: Photographs) -> list[Any]:
    """Photograph by photograph."""
    known = steps()
    results = []
    for photograph in photographs:
        one: Any = Image.fromarray(photograph)
        for name in names:
            one = known[name].pillow(one)
        results.append(one)
    return results


def run_opencv(names: Sequence[str], photographs: Photographs) -> list[Any]:
    """Photograph by photograph."""
    cv2, known = import_opencv(), steps()
    results = []
    for one in photographs:
        for name in names:
            one = known[name].opencv(cv2, one)
        results.append(one)
    return results


def run_kornia(names: Sequence[str], photographs: Photographs, device: str, dtype: torch.dtype) -> Tensor:
    """The whole batch at once, on a device; moving and converting it is part of the work."""
    kornia, known = import_extra("kornia"), steps()
    batch = to_batch(photographs, device, dtype)
    for name in names:
        batch = known[name].kornia(kornia, batch)
    return batch


def to_batch(photographs: Photographs, device: str, dtype: torch.dtype) -> Tensor:
    """(batch, 3, side, side) from 0 to 1; the bytes travel as uint8, a quarter of what float32 would take."""
    return torch.from_numpy(photographs).to(device).permute(0, 3, 1, 2).to(dtype) / 255


def import_opencv() -> Any:
    """OpenCV is what people use, but no dependency of ours: it is compared with where it is installed."""
    try:
        import cv2
    except ImportError:
        raise UserError("OpenCV is not installed", "pip install opencv-python-headless, to compare with it") from None
    return cv2


def decode_pillow(files: Sequence[bytes]) -> list[Photographs]:
    return [numpy.asarray(Image.open(io.BytesIO(one)).convert("RGB")) for one in files]


def decode_opencv(files: Sequence[bytes]) -> list[Photographs]:
    cv2 = import_opencv()
    decoded = (cv2.imdecode(numpy.frombuffer(one, numpy.uint8), cv2.IMREAD_COLOR) for one in files)
    return [cv2.cvtColor(one, cv2.COLOR_BGR2RGB) for one in decoded]


def as_pixels(result: Any) -> NDArray[numpy.float64]:
    """Whatever a library gave, as (height, width, 3) on a scale of 0 to 255, the first of a batch."""
    if isinstance(result, Tensor):
        first = result[0] if result.dim() == 4 else result
        return first.detach().double().cpu().permute(1, 2, 0).numpy() * 255
    return numpy.asarray(result, dtype=numpy.float64) * (255 if numpy.asarray(result).dtype.kind == "f" else 1)


def psnr(one: NDArray[numpy.float64], other: NDArray[numpy.float64]) -> float | None:
    """Peak signal-to-noise ratio in decibels: above 40 nobody sees a difference; None where they are the same."""
    error = float(numpy.mean((one - other) ** 2))
    # Not "above 0": an error that is not a number must not pass for none.
    return 10 * math.log10(255**2 / error) if error != 0 else None


def _middle(one: Photographs) -> Photographs:
    """Seven eighths of the side: 224 of 256. Copied, as the other libraries do: a view alone would cost nothing."""
    side = one.shape[0] * 7 // 8
    start = (one.shape[0] - side) // 2
    return numpy.ascontiguousarray(one[start : start + side, start : start + side])


def _middle_of_batch(batch: Tensor) -> Tensor:
    side = batch.shape[-1] * 7 // 8
    start = (batch.shape[-1] - side) // 2
    return batch[..., start : start + side, start : start + side]


def _crop_pillow(one: Image.Image) -> Image.Image:
    side = one.width * 7 // 8
    start = (one.width - side) // 2
    return one.crop((start, start, start + side, start + side))


def _resize_pillow(one: Image.Image) -> Image.Image:
    return one.resize((one.width // 2, one.height // 2), Image.Resampling.BILINEAR)


def _resize_opencv(cv2: Any, one: Photographs) -> Any:
    return cv2.resize(one, (one.shape[1] // 2, one.shape[0] // 2), interpolation=cv2.INTER_AREA)


def _resize_kornia(kornia: Any, batch: Tensor) -> Tensor:
    size = (batch.shape[-2] // 2, batch.shape[-1] // 2)
    resized: Tensor = kornia.geometry.transform.resize(batch, size, antialias=True)
    return resized


def _blur_pillow(one: Image.Image) -> Image.Image:
    return one.filter(ImageFilter.GaussianBlur(BLUR_SIGMA))


def _blur_opencv(cv2: Any, one: Photographs) -> Any:
    return cv2.GaussianBlur(one, (BLUR_WIDTH, BLUR_WIDTH), BLUR_SIGMA)


def _blur_kornia(kornia: Any, batch: Tensor) -> Tensor:
    sigma = (BLUR_SIGMA, BLUR_SIGMA)
    blurred: Tensor = kornia.filters.gaussian_blur2d(batch, (BLUR_WIDTH, BLUR_WIDTH), sigma)
    return blurred


def _rotate_pillow(one: Image.Image) -> Image.Image:
    return one.rotate(DEGREES, Image.Resampling.BILINEAR)


def _rotate_opencv(cv2: Any, one: Photographs) -> Any:
    centre = ((one.shape[1] - 1) / 2, (one.shape[0] - 1) / 2)
    matrix = cv2.getRotationMatrix2D(centre, DEGREES, 1.0)
    return cv2.warpAffine(one, matrix, (one.shape[1], one.shape[0]), flags=cv2.INTER_LINEAR)


def _rotate_kornia(kornia: Any, batch: Tensor) -> Tensor:
    angle = torch.full((len(batch),), DEGREES, device=batch.device, dtype=batch.dtype)
    rotated: Tensor = kornia.geometry.transform.rotate(batch, angle)
    return rotated


def _jitter_pillow(one: Image.Image) -> Image.Image:
    one = ImageEnhance.Brightness(one).enhance(BRIGHTNESS)
    one = ImageEnhance.Contrast(one).enhance(CONTRAST)
    return ImageEnhance.Color(one).enhance(SATURATION)


def _jitter_opencv(cv2: Any, one: Photographs) -> Any:
    one = cv2.convertScaleAbs(one, alpha=BRIGHTNESS)
    mean = float(cv2.mean(cv2.cvtColor(one, cv2.COLOR_RGB2GRAY))[0])
    one = cv2.addWeighted(one, CONTRAST, numpy.full_like(one, round(mean)), 1 - CONTRAST, 0)
    grey = cv2.cvtColor(cv2.cvtColor(one, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    return cv2.addWeighted(one, SATURATION, grey, 1 - SATURATION, 0)


def _jitter_kornia(kornia: Any, batch: Tensor) -> Tensor:
    """By kornia's grey and clamp, as its own adjust_saturation works in HSV, which is another thing."""
    weights = torch.tensor(LUMA, device=batch.device, dtype=batch.dtype)
    batch = (batch * BRIGHTNESS).clamp(0, 1)
    mean = kornia.color.rgb_to_grayscale(batch, weights).mean((-3, -2, -1), keepdim=True)
    batch = (batch * CONTRAST + mean * (1 - CONTRAST)).clamp(0, 1)
    grey: Tensor = kornia.color.rgb_to_grayscale(batch, weights)
    return (batch * SATURATION + grey * (1 - SATURATION)).clamp(0, 1)


def _normalize_pillow(one: Image.Image) -> NDArray[numpy.float32]:
    return _normalize(numpy.asarray(one))


def _normalize(one: Photographs) -> NDArray[numpy.float32]:
    mean, std = numpy.array(MEAN, dtype=numpy.float32), numpy.array(STD, dtype=numpy.float32)
    return numpy.asarray(one / (std * 255) - mean / std, dtype=numpy.float32)


def _normalize_batch(batch: Tensor) -> Tensor:
    mean, std = (torch.tensor(one, device=batch.device, dtype=batch.dtype)[:, None, None] for one in (MEAN, STD))
    return (batch - mean) / std
