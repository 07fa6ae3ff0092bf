"""Decode one photograph of unknown origin to a small RGB square, in bounded memory, or say why not.

Everything that a folder of real photographs holds comes through here: sixteen bits, CMYK, palettes, transparency,
animations, sideways cameras, broken files, and files made to fill the memory.
"""

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path

import numpy
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError
from PIL.JpegImagePlugin import JpegImageFile

SMALLEST_SIDE = 8
"""Pixels; below, enlarging shows nothing but blur."""
MOST_PIXELS = 64_000_000
"""What may be decoded at once: 192 MB as RGB. Today's largest phone cameras give 50 to 200 megapixels, as JPEG, and
a JPEG is decoded at a fraction of its size."""
LARGE_PIXELS = 12_000_000
"""Above, one photograph at a time is decoded, however many threads there are: it may stand in memory three times, at
four bytes a pixel."""
_ONE_LARGE = threading.Lock()
FORMATS = ("JPEG", "PNG", "GIF", "BMP", "TIFF", "WEBP", "PPM", "AVIF", "JPEG2000")
"""Not all that Pillow knows: it would hand an EPS file to Ghostscript, which runs programs, and take any text for a
TGA file, which has no mark at its beginning."""
SIXTEEN_BITS = 65_535
JPEG_START = b"\xff\xd8\xff"


class UnusableImageError(Exception):
    """Why a file is left out; the text names a reason that many files can share, so that they can be counted."""


def decode_square(path: Path, side: int) -> NDArray[numpy.uint8]:
    """The middle of the picture, upright, (side, side, 3); raises `UnusableImageError`."""
    try:
        return _decode(path, side)
    except UnusableImageError:
        raise
    except UnidentifiedImageError:
        raise UnusableImageError("not an image that Pillow can read") from None
    except PermissionError:
        raise UnusableImageError("may not be read by this user") from None
    except Image.DecompressionBombError:
        raise UnusableImageError(_too_large()) from None
    except MemoryError:
        raise UnusableImageError("not enough memory to decode it") from None
    except Exception:  # Pillow's decoders raise almost anything on broken data: OSError, SyntaxError, struct.error, …
        raise UnusableImageError("broken or cut off") from None


@contextmanager
def quiet_pillow() -> Iterator[None]:
    """Within, Pillow does not warn of what is skipped or mended here. Enter it before starting threads, not in them:
    Python's warning filters belong to the whole process."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", module="PIL")
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        yield


def _decode(path: Path, side: int) -> NDArray[numpy.uint8]:
    if not path.is_file():
        raise UnusableImageError("not a regular file")
    if path.stat().st_size == 0:
        raise UnusableImageError("empty file")
    with _open(path) as image:
        _require_size(image, side)
        large = image.width * image.height > LARGE_PIXELS
        with _ONE_LARGE if large else nullcontext():
            small = _to_small_rgb(image, side)
            image.close()  # gives its memory back before the next large one starts
    square = ImageOps.fit(small, (side, side), Image.Resampling.BICUBIC)
    return numpy.asarray(square, dtype=numpy.uint8)


def _open(path: Path) -> Image.Image:
    with path.open("rb") as file:
        start = file.read(len(JPEG_START))
    if start == JPEG_START:
        # Image.open refuses what is too large as a whole; a JPEG can be decoded at an eighth, so we judge it ourselves.
        return JpegImageFile(path)
    return Image.open(path, formats=_formats())


@cache
def _formats() -> tuple[str, ...]:
    """Those of `FORMATS` that this Pillow was built with; it fails on the name of any other."""
    Image.init()
    return tuple(name for name in FORMATS if name in Image.OPEN)


def _require_size(image: Image.Image, side: int) -> None:
    if min(image.size) < SMALLEST_SIDE:
        raise UnusableImageError(f"smaller than {SMALLEST_SIDE} pixels")
    # A progressive JPEG keeps all of its coefficients in memory, at whatever size it is decoded.
    if isinstance(image, JpegImageFile) and not image.info.get("progressive"):
        image.draft(None, (2 * side, 2 * side))
    if image.width * image.height > MOST_PIXELS:
        raise UnusableImageError(_too_large())


def _too_large() -> str:
    return f"more than {MOST_PIXELS // 1_000_000} megapixels"


def _to_small_rgb(image: Image.Image, side: int) -> Image.Image:
    """Upright, eight bits, three channels, at least `side` each way; what is transparent becomes white.

    Of an animation the first picture is taken. Shrunk before anything else is done to it, to save memory.
    """
    ImageOps.exif_transpose(image, in_place=True)
    image.load()
    if image.mode == "F" or image.mode.startswith("I"):
        return _from_wide(image)
    transparent = image.has_transparency_data
    if transparent and image.mode != "RGBA":
        image = image.convert("RGBA")
    elif image.mode in ("1", "P"):
        image = image.convert("RGB")  # numbers of colours can't be averaged
    image = image.reduce(max(1, min(image.size) // (2 * side)))
    if transparent:
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    return image.convert("RGB")


def _from_wide(image: Image.Image) -> Image.Image:
    """More than eight bits. Pillow's own conversion would cut everything above 255 off to white."""
    values = numpy.asarray(image)
    if image.mode == "F" or values.min() < 0 or values.max() > SIXTEEN_BITS:
        raise UnusableImageError("pixels of floating-point or 32-bit numbers, whose range is not known")
    eight_bits = (values.astype(numpy.uint32) >> 8).astype(numpy.uint8)
    return Image.fromarray(eight_bits).convert("RGB")
