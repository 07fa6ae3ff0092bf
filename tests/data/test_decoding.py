"""Every strange photograph is decoded rightly or refused with a reason."""

import os
import struct
import zlib
from pathlib import Path

import numpy
import pytest
from PIL import Image

from torchstone.data.decoding import UnusableImageError, decode_square, quiet_pillow
from torchstone.data.photographs import make_photograph

SIDE = 32
RED, WHITE = (255, 0, 0), (255, 255, 255)


def middle(path: Path) -> tuple[int, ...]:
    with quiet_pillow():
        image = decode_square(path, SIDE)
    assert image.shape == (SIDE, SIDE, 3)
    assert image.dtype == numpy.uint8
    return tuple(int(value) for value in image[SIDE // 2, SIDE // 2])


def refusal(path: Path) -> str:
    with quiet_pillow(), pytest.raises(UnusableImageError) as caught:
        decode_square(path, SIDE)
    return str(caught.value)


def near(colour: tuple[int, ...], expected: tuple[int, ...], tolerance: int = 6) -> bool:
    return all(abs(one - other) <= tolerance for one, other in zip(colour, expected, strict=True))


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


@pytest.mark.parametrize(
    ("mode", "colour", "suffix", "expected"),
    [
        ("RGB", RED, "png", RED),
        ("RGB", RED, "jpg", RED),
        ("RGB", RED, "webp", RED),
        ("RGB", RED, "bmp", RED),
        ("RGB", RED, "tiff", RED),
        ("L", 100, "jpg", (100, 100, 100)),
        ("1", 1, "png", WHITE),
        ("CMYK", (0, 255, 255, 0), "jpg", RED),
        ("CMYK", (0, 255, 255, 0), "tiff", RED),
        ("RGBA", (255, 0, 0, 255), "png", RED),
        ("RGBA", (255, 0, 0, 0), "png", WHITE),
        ("RGBA", (255, 0, 0, 128), "png", (255, 127, 127)),
        ("LA", (0, 0), "png", WHITE),
        ("I;16", 40_000, "png", (156, 156, 156)),
        ("I;16", 40_000, "tiff", (156, 156, 156)),
        ("I", 40_000, "tiff", (156, 156, 156)),
    ],
)
def test_colours_come_out_right(mode: str, colour: int, suffix: str, expected: tuple[int, ...], tmp_path: Path) -> None:
    path = tmp_path / f"image.{suffix}"
    Image.new(mode, (40, 50), colour).save(path)
    assert near(middle(path), expected)


def test_palette_with_a_transparent_colour(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    image = Image.new("P", (40, 40), 1)
    image.putpalette([0, 0, 0, 255, 0, 0])
    image.save(path)
    assert middle(path) == RED
    image.save(path, transparency=1)
    assert middle(path) == WHITE


@pytest.mark.parametrize("suffix", ["gif", "webp", "png"])
def test_of_an_animation_the_first_picture_is_taken(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"image.{suffix}"
    first, second = Image.new("RGB", (40, 40), "red"), Image.new("RGB", (40, 40), "blue")
    first.save(path, save_all=True, append_images=[second], duration=100)
    assert near(middle(path), RED)


def test_a_sideways_camera_is_turned_upright(tmp_path: Path) -> None:
    path = tmp_path / "image.jpg"
    image = Image.new("RGB", (64, 64), "blue")
    image.paste("red", (0, 0, 32, 64))
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by 90° clockwise: what was on the left comes to the top
    image.save(path, exif=exif)
    upright = decode_square(path, SIDE)
    assert near(tuple(upright[4, 16].tolist()), RED, 20)
    assert near(tuple(upright[28, 16].tolist()), (0, 0, 255), 20)


def test_the_middle_is_cut_out_undistorted(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    image = Image.new("RGB", (300, 100), "blue")
    image.paste("red", (100, 0, 200, 100))
    image.save(path)
    assert (decode_square(path, SIDE)[:, 2:-2] == RED).all()


def test_a_large_jpeg_is_decoded_at_a_fraction(tmp_path: Path) -> None:
    """100 megapixels, more than Pillow opens without a warning and more than we decode whole."""
    path = tmp_path / "image.jpg"
    Image.new("L", (20_000, 5_000), 77).save(path)
    assert near(middle(path), (77, 77, 77))


def test_too_many_pixels_for_anything_else(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    Image.new("L", (20_000, 5_000), 77).save(path, compress_level=1)
    assert refusal(path) == "more than 64 megapixels"


def test_a_decompression_bomb_is_not_decoded(tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    content = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + content)
    assert refusal(path) == "more than 64 megapixels"


@pytest.mark.parametrize("size", [(1, 1), (500, 2), (7, 7)])
def test_too_few_pixels(size: tuple[int, int], tmp_path: Path) -> None:
    path = tmp_path / "image.png"
    Image.new("RGB", size).save(path)
    assert refusal(path) == "smaller than 8 pixels"


@pytest.mark.parametrize("kept", [4, 100, 0.5, 0.95])
@pytest.mark.parametrize("suffix", ["jpg", "png"])
def test_cut_off_files(kept: float, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"image.{suffix}"
    Image.fromarray(make_photograph(64, 0)).save(path)
    content = path.read_bytes()
    path.write_bytes(content[: int(kept if kept > 1 else kept * len(content))])
    assert refusal(path) in ("broken or cut off", "not an image that Pillow can read")


def test_other_reasons(tmp_path: Path) -> None:
    empty, text, missing = tmp_path / "empty.jpg", tmp_path / "text.jpg", tmp_path / "missing.jpg"
    empty.touch()
    text.write_text("not a picture at all, " * 50)
    assert refusal(empty) == "empty file"
    assert refusal(text) == "not an image that Pillow can read"
    assert refusal(missing) == "not a regular file"
    floating = tmp_path / "floating.tiff"
    Image.new("F", (40, 40), 0.5).save(floating)
    assert "range is not known" in refusal(floating)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_does_not_hang_us(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    assert refusal(tmp_path / "pipe.jpg") == "not a regular file"
