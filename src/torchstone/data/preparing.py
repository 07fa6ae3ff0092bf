"""From a JPEG file, or its pixels, to the tensor that a classifier gets: the ways to do it on the CPU.

Shrink to 256² with antialiasing, cut out the middle 224², mirror, normalize: every way gives the same (3, 224, 224)
but for rounding and the shape of its filter, and is held to the same quality against `prepare_exactly`. `pillow` and
`opencv` are what people write. The others are ours. They decode a large JPEG at a half, a quarter or an eighth of its
size (libjpeg leaves out the fine waves), but never below twice the size that is wanted, so that the last step is a real
antialiasing filter. And they mirror, reorder and convert while the small picture is still in the cache.
"""

import io
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from threading import Barrier
from typing import Any, TypeVar

import numpy
import torch
from PIL import Image
from torch import Tensor
from torch.nn import functional

from torchstone.data.imaging import MEAN, STD, Photographs, import_opencv, psnr, to_batch
from torchstone.extras import import_extra

SIDE, CROP = 256, 224
"""What ImageNet's classifiers are evaluated with."""
START = (SIDE - CROP) // 2
MIDDLE = slice(START, START + CROP)
DECODED_SIDE = 2 * SIDE
"""The least side at which a JPEG may be decoded: at half of it the result would fall below the bar."""
LEAST_PSNR_DB = 40.0
"""Above, nobody sees a difference. What does not antialias falls below at a quarter of the size and less; every
antialiasing filter (box, triangle, Gaussian) stays above."""
Source = TypeVar("Source", bytes, Photographs)


@dataclass(frozen=True)
class Way:
    """How one photograph is prepared, into a given float32 tensor (3, 224, 224)."""

    words: str
    from_file: Callable[[bytes, Tensor], None]
    from_pixels: Callable[[Photographs, Tensor], None]


def ways() -> dict[str, Way]:
    """Every way by the name of its engine."""
    return {
        "pillow": Way("Pillow does everything, numpy normalizes", _file_by_pillow, _pixels_by_pillow),
        "opencv": Way("OpenCV does everything, numpy normalizes", _file_by_opencv, _pixels_by_opencv),
        "torch": Way(
            "Pillow decodes at a fraction of the size, torch resizes uint8 pixels and normalizes",
            _file_by_torch,
            _pixels_by_torch,
        ),
        "opencv+torch": Way(
            "OpenCV decodes at a fraction of the size and shrinks by area, torch normalizes",
            _file_by_opencv_and_torch,
            _pixels_by_opencv_and_torch,
        ),
        "kornia_rs": Way(
            "kornia's Rust library decodes, halves and normalizes; what is not to be halved goes the way of torch",
            _file_by_kornia_rs,
            _pixels_by_kornia_rs,
        ),
    }


def prepare(prepare_one: Callable[[Source, Tensor], None], sources: Sequence[Source]) -> Tensor:
    """A whole batch, each photograph by one of as many threads as torch has: decoders let Python go on meanwhile."""
    batch = torch.empty(len(sources), 3, CROP, CROP)
    threads = min(len(sources), torch.get_num_threads())
    run = map if threads == 1 else _pool(threads).map
    for _ in run(prepare_one, sources, batch):
        pass
    return batch


def prepare_by_kornia(photographs: Photographs, device: str) -> Tensor:
    """The whole batch at once, on a device; moving and converting it is part of the work."""
    kornia = import_extra("kornia")
    batch = to_batch(photographs, device, torch.float32)
    resized: Tensor = kornia.geometry.transform.resize(batch, (SIDE, SIDE), antialias=True)
    mean, std = (torch.tensor(one, device=batch.device) for one in (MEAN, STD))
    mirrored = resized[..., MIDDLE, MIDDLE].flip(-1)
    normalized: Tensor = kornia.enhance.normalize(mirrored, mean, std)
    return normalized


def prepare_exactly(photographs: Photographs) -> Tensor:
    """The reference: antialiased (a triangle over all the pixels that one comes of), in float64, nothing rounded."""
    batch = to_batch(photographs, "cpu", torch.float64)
    resized = functional.interpolate(batch, (SIDE, SIDE), mode="bilinear", antialias=True)
    mean, std = (torch.tensor(one, dtype=torch.float64)[:, None, None] for one in (MEAN, STD))
    return (resized[..., MIDDLE, MIDDLE].flip(-1) - mean) / std


def quality_db(prepared: Tensor, exact: Tensor) -> float | None:
    """PSNR on the scale of 0 to 255 that the normalized values come from; None where they are the same."""
    scale = torch.tensor(STD, dtype=torch.float64)[:, None, None] * 255
    one, other = ((values.detach().cpu().double() * scale).numpy() for values in (prepared, exact))
    return psnr(one, other)


def explain_poor(prepared: Tensor, exact: Tensor) -> str | None:
    """Why a prepared batch is not right, or None."""
    decibels = quality_db(prepared, exact)
    if decibels is None or decibels >= LEAST_PSNR_DB:
        return None
    return f"{decibels:.1f} dB (PSNR) against antialiased float64, where {LEAST_PSNR_DB:g} are asked for"


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Torch itself uses one thread in each of them. With a team of its own in each there would be more threads than
    cores, and for as long as they lived OpenMP would put every team of the process to sleep after each operator: a
    model that was called later from anywhere took twice as long."""
    pool = ThreadPoolExecutor(threads, thread_name_prefix="prepare")
    all_there, before = Barrier(threads), torch.get_num_threads()
    for done in [pool.submit(_use_one_thread, all_there) for _ in range(threads)]:
        done.result()
    torch.set_num_threads(before)  # what threads that are yet to come begin with
    return pool


def _use_one_thread(all_there: Barrier) -> None:
    """In every thread of a pool, as none of them is free for a second call before all have been called."""
    torch.get_num_threads()  # a thread's first question sets its number to everyone's, and would do so afterwards
    torch.set_num_threads(1)
    all_there.wait()


def _file_by_pillow(file: bytes, out: Tensor) -> None:
    _finish_pillow(Image.open(io.BytesIO(file)).convert("RGB"), out)


def _pixels_by_pillow(photograph: Photographs, out: Tensor) -> None:
    _finish_pillow(Image.fromarray(photograph), out)


def _finish_pillow(image: Image.Image, out: Tensor) -> None:
    small = image.resize((SIDE, SIDE), Image.Resampling.BILINEAR).crop((START, START, START + CROP, START + CROP))
    _normalize(numpy.asarray(small.transpose(Image.Transpose.FLIP_LEFT_RIGHT)), out)


def _file_by_opencv(file: bytes, out: Tensor) -> None:
    cv2 = import_opencv()
    decoded = cv2.imdecode(numpy.frombuffer(file, numpy.uint8), cv2.IMREAD_COLOR)
    _pixels_by_opencv(cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB), out)


def _pixels_by_opencv(photograph: Photographs, out: Tensor) -> None:
    cv2 = import_opencv()
    _normalize(cv2.flip(_shrink_by_area(photograph)[MIDDLE, MIDDLE], 1), out)


def _normalize(small: Photographs, out: Tensor) -> None:
    """As people write it."""
    mean, std = numpy.array(MEAN, dtype=numpy.float32), numpy.array(STD, dtype=numpy.float32)
    values = (small.astype(numpy.float32) / 255 - mean) / std
    out.copy_(torch.from_numpy(values.transpose(2, 0, 1)))


def _file_by_torch(file: bytes, out: Tensor) -> None:
    image = Image.open(io.BytesIO(file))
    image.draft("RGB", (DECODED_SIDE, DECODED_SIDE))
    # Copied, because Pillow's own pixels may not be written to, of which torch warns.
    _pixels_by_torch(numpy.array(image if image.mode == "RGB" else image.convert("RGB")), out)


def _pixels_by_torch(photograph: Photographs, out: Tensor) -> None:
    # Permuted and not copied: this order of bytes is channels last, for which torch has vector code for uint8.
    planes = torch.from_numpy(photograph).permute(2, 0, 1)[None]
    _finish(functional.interpolate(planes, (SIDE, SIDE), mode="bilinear", antialias=True)[0], out, flipped=(2,))


def _file_by_kornia_rs(file: bytes, out: Tensor) -> None:
    reader = import_extra("kornia_rs").io
    size = reader.ImageDecoder().read_header(file)
    if min(size.width, size.height) // 2 >= DECODED_SIDE:  # its decoder knows no fractions
        return _file_by_torch(file, out)
    return _pixels_by_kornia_rs(reader.decode_image_jpegturbo(file, "rgb"), out)


def _pixels_by_kornia_rs(photograph: Photographs, out: Tensor) -> None:
    """Its one pass does not antialias; but bilinear halving takes the mean of four pixels, and is right for that."""
    if photograph.shape[:2] != (DECODED_SIDE, DECODED_SIDE):
        return _pixels_by_torch(photograph, out)
    middle = numpy.ascontiguousarray(photograph[2 * START : 2 * (START + CROP), 2 * START : 2 * (START + CROP)])
    small = import_extra("kornia_rs").pipeline.resize_normalize_to_tensor(middle, (CROP, CROP), MEAN, STD)
    out.copy_(torch.from_numpy(small).flip(2))
    return None


def _file_by_opencv_and_torch(file: bytes, out: Tensor) -> None:
    cv2 = import_opencv()
    width, height = Image.open(io.BytesIO(file)).size  # reads the header only
    decoded = cv2.imdecode(numpy.frombuffer(file, numpy.uint8), _reduction(cv2, min(width, height)))
    # OpenCV gives blue first; turning that round costs nothing where the columns are turned round anyway.
    _finish(torch.from_numpy(_shrink_by_area(decoded)).permute(2, 0, 1), out, flipped=(0, 2))


def _pixels_by_opencv_and_torch(photograph: Photographs, out: Tensor) -> None:
    _finish(torch.from_numpy(_shrink_by_area(photograph)).permute(2, 0, 1), out, flipped=(2,))


def _reduction(cv2: Any, side: int) -> int:
    """The flag of the smallest fraction that leaves enough."""
    fractions = {8: cv2.IMREAD_REDUCED_COLOR_8, 4: cv2.IMREAD_REDUCED_COLOR_4, 2: cv2.IMREAD_REDUCED_COLOR_2}
    flag: int = next((flag for divisor, flag in fractions.items() if side // divisor >= DECODED_SIDE), cv2.IMREAD_COLOR)
    return flag


def _shrink_by_area(photograph: Photographs) -> Photographs:
    cv2 = import_opencv()
    shrunk: Photographs = cv2.resize(photograph, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
    return shrunk


@cache
def _scale_and_shift() -> tuple[Tensor, Tensor]:
    """(x / 255 − mean) / std as one multiplication and one addition."""
    mean, std = (torch.tensor(one)[:, None, None] for one in (MEAN, STD))
    return 1 / (255 * std), -mean / std


def _finish(small: Tensor, out: Tensor, flipped: tuple[int, ...]) -> None:
    scale, shift = _scale_and_shift()
    # Made plain while still bytes: reordering and converting in one copy takes a quarter longer.
    out.copy_(small[:, MIDDLE, MIDDLE].flip(flipped).contiguous()).mul_(scale).add_(shift)
