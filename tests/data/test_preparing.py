"""Ways from a photograph to a tensor: all give the same picture, and what does not is refused."""

import threading

import numpy
import pytest
import torch
from torch.nn import functional

from torchstone.data import imaging, preparing
from torchstone.data.photographs import encode_jpeg, make_photographs
from torchstone.models.placing import using_threads

SIDES = (300, 512, 1024)
"""Not a multiple, decoded whole, and decoded at a half."""
FILES = {side: [encode_jpeg(one) for one in make_photographs(2, side, 1)] for side in SIDES}
DECODED = {side: numpy.stack(imaging.decode_pillow(files)) for side, files in FILES.items()}
EXACT = {side: preparing.prepare_exactly(photographs) for side, photographs in DECODED.items()}


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", list(preparing.ways()))
def test_every_way_gives_the_same_picture(name: str, side: int) -> None:
    way = preparing.ways()[name]
    for prepared in (
        preparing.prepare(way.from_file, FILES[side]),
        preparing.prepare(way.from_pixels, list(DECODED[side])),
    ):
        assert prepared.shape == (2, 3, 224, 224)
        assert preparing.explain_poor(prepared, EXACT[side]) is None


def test_kornia_gives_the_same_picture() -> None:
    assert preparing.explain_poor(preparing.prepare_by_kornia(DECODED[512], "cpu"), EXACT[512]) is None


def test_threads_change_nothing() -> None:
    way = preparing.ways()["torch"]
    found = []
    for threads in (1, 2):
        with using_threads(threads):
            found.append(preparing.prepare(way.from_file, FILES[512]))
    assert torch.equal(found[0], found[1])


def test_the_threads_of_the_pool_have_no_teams_of_their_own() -> None:
    """Else there are more threads than cores, and OpenMP lets every later model in the process sleep between two
    operators."""
    seen: dict[str, int] = {}

    def look(_: bytes, out: torch.Tensor) -> None:
        seen[threading.current_thread().name] = torch.get_num_threads()

    with using_threads(2):
        preparing.prepare(look, FILES[512] * 8)
        later = threading.Thread(target=look, args=(b"", torch.empty(0)), name="later")
        later.start()
        later.join()
        assert torch.get_num_threads() == 2
    assert seen.pop("later") == 2
    assert set(seen.values()) == {1}


def test_what_does_not_antialias_is_refused() -> None:
    batch = imaging.to_batch(DECODED[1024], "cpu", torch.float64)
    small = functional.interpolate(batch, (256, 256), mode="bilinear", antialias=False)
    mean, std = (torch.tensor(one)[:, None, None] for one in (imaging.MEAN, imaging.STD))
    aliased = (small[..., preparing.MIDDLE, preparing.MIDDLE].flip(-1) - mean) / std
    assert "where 40 are asked for" in (preparing.explain_poor(aliased, EXACT[1024]) or "")


def test_a_picture_that_is_not_mirrored_or_has_its_colours_swapped_is_refused() -> None:
    exact = EXACT[512]
    assert preparing.explain_poor(exact.flip(-1), exact) is not None
    assert preparing.explain_poor(exact.flip(1), exact) is not None
    assert preparing.explain_poor(exact, exact) is None


def test_not_a_number_is_refused() -> None:
    assert preparing.explain_poor(torch.full_like(EXACT[512], torch.nan), EXACT[512]) is not None


@pytest.mark.parametrize(("side", "decoded_side"), [(512, 512), (1000, 1000), (1024, 512), (2048, 512), (4096, 512)])
def test_a_jpeg_is_never_decoded_below_twice_the_size_wanted(side: int, decoded_side: int) -> None:
    cv2 = imaging.import_opencv()
    divisors = {
        cv2.IMREAD_COLOR: 1,
        cv2.IMREAD_REDUCED_COLOR_2: 2,
        cv2.IMREAD_REDUCED_COLOR_4: 4,
        cv2.IMREAD_REDUCED_COLOR_8: 8,
    }
    assert side // divisors[preparing._reduction(cv2, side)] == decoded_side
