"""The solar cells: the authors' labels, the sizes of the paper's split, proportions kept."""

from collections import Counter

import numpy

from torchstone.data.elpv import load_elpv, read_cells, read_strata
from torchstone.data.labelled import split_images


def test_the_labels_are_the_authors() -> None:
    counts = Counter((round(cell.probability * 3), cell.kind) for cell in read_cells())
    assert counts == {
        (0, "mono"): 588, (0, "poly"): 920, (1, "mono"): 117, (1, "poly"): 178,
        (2, "mono"): 56, (2, "poly"): 50, (3, "mono"): 313, (3, "poly"): 402,
    }  # fmt: skip


def test_photographs_labels_and_split() -> None:
    data = load_elpv()
    assert data.images.shape == (2624, 300, 300, 1)
    assert data.images.dtype == numpy.uint8
    assert not data.images.flags.writeable
    assert data.classes == ("functional", "defective")
    assert numpy.bincount(data.labels).tolist() == [1803, 821]
    assert round(data.majority_share, 3) == 0.687
    assert load_elpv() is data
    some = load_elpv((5, 7, 2000))
    assert numpy.array_equal(some.images, data.images[[5, 7, 2000]])
    assert numpy.array_equal(some.labels, data.labels[[5, 7, 2000]])
    assert numpy.array_equal(some.strata, read_strata()[[5, 7, 2000]])
    split = split_images(data, seed=0)
    assert (len(split.train), len(split.test)) == (1968, 656)
    # A quarter of each of the eight strata, to the nearest cell.
    shares = numpy.bincount(data.strata[split.test]) - numpy.bincount(data.strata) / 4
    assert numpy.abs(shares).max() < 1
