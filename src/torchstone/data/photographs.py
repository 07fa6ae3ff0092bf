"""Photographs made on the spot from a seed, for experiments on image processing that must run without any data.

What an image library's speed and a JPEG's size depend on is there: amplitudes that fall with frequency as in nature
(the sum of octaves of noise), objects with sharp edges, and writing-like strokes.
"""

import io

import numpy
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from torchstone.errors import UserError

SIDES = (256, 512, 1024, 2048)
JPEG_QUALITY = 90
OCTAVES_PERSISTENCE = 0.55
"""How much weaker each finer octave is: with 0.5 the amplitude falls as 1/frequency, as in photographs of nature
(Field 1987); a little more stands for texture and the sensor's noise."""
SENSOR_NOISE = 2.5
"""Standard deviation of each pixel on a scale of 0 to 255."""
COARSEST_CELLS = 4
SHAPES = 12
STROKES = 60


def make_photograph(side: int, seed: int) -> NDArray[numpy.uint8]:
    """One square photograph, (side, side, 3), red first. The same seed shows the same scene at every size."""
    photograph: NDArray[numpy.uint8] = make_photographs(1, side, seed)[0]
    return photograph


def make_photographs(count: int, side: int, seed: int) -> NDArray[numpy.uint8]:
    """Different photographs, (count, side, side, 3)."""
    if side < COARSEST_CELLS or count < 1:
        raise UserError(
            f"cannot make {count} photographs of {side} pixels",
            f"ask for 1 or more, of {COARSEST_CELLS} pixels or more",
        )
    scenes = (numpy.random.default_rng([seed, number]) for number in range(count))
    return numpy.stack([_draw_scene(side, random) for random in scenes])


def encode_jpeg(image: NDArray[numpy.uint8], quality: int = JPEG_QUALITY) -> bytes:
    """As a camera would store it (chroma at half resolution)."""
    buffer = io.BytesIO()
    Image.fromarray(image).save(buffer, format="JPEG", quality=quality, subsampling="4:2:0")
    return buffer.getvalue()


def _draw_scene(side: int, random: numpy.random.Generator) -> NDArray[numpy.uint8]:
    # A stream of random numbers for each part, so that a larger picture does not show another scene.
    light_random, *channel_randoms, shapes_random, writing_random, sensor_random = random.spawn(7)
    light = _noise(side, light_random)
    sky = numpy.linspace(0.65, 0.3, side, dtype=numpy.float32)[:, numpy.newaxis]
    channels = [sky + 0.12 * light + 0.04 * _noise(side, stream) for stream in channel_randoms]
    base = numpy.clip(numpy.stack(channels, axis=-1), 0, 1)
    picture = Image.fromarray((base * 255).astype(numpy.uint8))
    _draw_shapes(picture, shapes_random)
    _draw_writing(picture, writing_random)
    # Objects are lit unevenly too, or flat areas would compress as no photograph does.
    lit = numpy.asarray(picture, dtype=numpy.float32) * (1 + 0.12 * light[..., numpy.newaxis])
    grain = SENSOR_NOISE * sensor_random.standard_normal(lit.shape, dtype=numpy.float32)
    return numpy.clip(lit + grain, 0, 255).astype(numpy.uint8)


def _noise(side: int, random: numpy.random.Generator) -> NDArray[numpy.float32]:
    """Octaves of noise with standard deviation 1: made coarse, then again and again doubled and refined."""
    cells, amplitude = COARSEST_CELLS, 1.0
    total = random.standard_normal((cells, cells), dtype=numpy.float32)
    while cells < side:
        cells, amplitude = cells * 2, amplitude * OCTAVES_PERSISTENCE
        finer = random.standard_normal((cells, cells), dtype=numpy.float32)
        total = _resized(total, cells) + numpy.float32(amplitude) * finer
    total = _resized(total, side)
    scaled: NDArray[numpy.float32] = (total - total.mean()) / total.std()
    return scaled


def _resized(values: NDArray[numpy.float32], side: int) -> NDArray[numpy.float32]:
    image = Image.fromarray(values).resize((side, side), Image.Resampling.BICUBIC)
    return numpy.asarray(image, dtype=numpy.float32)


def _draw_shapes(picture: Image.Image, random: numpy.random.Generator) -> None:
    draw = ImageDraw.Draw(picture)
    side = picture.width
    for number in range(SHAPES):
        left, top = random.uniform(0, 0.9, 2) * side
        width, height = random.uniform(0.05, 0.3, 2) * side
        colour = _colour(random)
        box = (left, top, left + width, top + height)
        if number % 3 == 0:
            draw.ellipse(box, fill=colour)
        elif number % 3 == 1:
            draw.rectangle(box, fill=colour)
        else:
            draw.polygon([(left, top + height), (left + width / 2, top), (left + width, top + height)], fill=colour)


def _draw_writing(picture: Image.Image, random: numpy.random.Generator) -> None:
    """Short thin strokes in lines, as of writing on a sign."""
    draw = ImageDraw.Draw(picture)
    side = picture.width
    size = side / 40
    left, top = random.uniform(0.1, 0.4, 2) * side
    for number in range(STROKES):
        row, column = divmod(number, 15)
        x, y = left + column * size, top + row * 1.6 * size
        ends = random.uniform(0, 1, 4) * size
        draw.line((x + ends[0], y + ends[1], x + ends[2], y + ends[3]), fill="black", width=max(1, side // 512))


def _colour(random: numpy.random.Generator) -> tuple[int, int, int]:
    red, green, blue = (int(value) for value in random.integers(20, 236, 3))
    return red, green, blue
