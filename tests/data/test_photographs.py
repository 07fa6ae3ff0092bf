"""Made photographs are the same for a seed, look like photographs to a frequency analyser and to a JPEG encoder."""

import io
import itertools

import numpy
import pytest
from numpy.typing import NDArray
from PIL import Image

from torchstone.data.photographs import encode_jpeg, make_photograph, make_photographs
from torchstone.errors import UserError


def spectral_slope(image: NDArray[numpy.uint8]) -> float:
    """How the amplitude falls with frequency: about −1 in nature, 0 for white noise."""
    side = len(image)
    grey = image.mean(axis=-1)
    window = numpy.hanning(side)
    amplitude = numpy.abs(numpy.fft.fft2((grey - grey.mean()) * window * window[:, None]))
    frequency = numpy.hypot(numpy.fft.fftfreq(side), numpy.fft.fftfreq(side)[:, None])
    edges = numpy.geomspace(4 / side, 0.4, 10)
    means = [amplitude[(frequency >= low) & (frequency < high)].mean() for low, high in itertools.pairwise(edges)]
    return float(numpy.polyfit(numpy.log(edges[:-1]), numpy.log(means), 1)[0])


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_amplitudes_fall_with_frequency_as_in_nature(seed: int) -> None:
    assert -1.6 < spectral_slope(make_photograph(256, seed)) < -0.8


def test_the_same_seed_gives_the_same_photographs() -> None:
    first, again, other = (make_photographs(2, 64, seed) for seed in (7, 7, 8))
    assert first.shape == (2, 64, 64, 3)
    assert first.dtype == numpy.uint8
    assert numpy.array_equal(first, again)
    assert not numpy.array_equal(first, other)
    assert not numpy.array_equal(first[0], first[1])


def test_a_larger_photograph_shows_the_same_scene() -> None:
    large = Image.fromarray(make_photograph(512, 3)).resize((128, 128), Image.Resampling.BOX)
    small = make_photograph(128, 3)
    assert numpy.corrcoef(numpy.asarray(large).ravel(), small.ravel())[0, 1] > 0.95


def test_jpeg_has_a_photographs_size_and_decodes() -> None:
    image = make_photograph(512, 0)
    encoded = encode_jpeg(image)
    assert 0.8 < 8 * len(encoded) / 512**2 < 4
    with Image.open(io.BytesIO(encoded)) as decoded:
        assert decoded.size == (512, 512)
        error = numpy.asarray(decoded, dtype=float) - image
    assert float(numpy.sqrt((error**2).mean())) < 8


def test_few_pixels_are_black_or_white() -> None:
    image = make_photograph(256, 0)
    assert ((image == 0) | (image == 255)).mean() < 0.15


@pytest.mark.parametrize(("count", "side"), [(0, 64), (1, 0), (-1, 64), (1, 3)])
def test_impossible_sizes(count: int, side: int) -> None:
    with pytest.raises(UserError, match="cannot make"):
        make_photographs(count, side, 0)
