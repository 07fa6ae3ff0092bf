"""The ELPV photographs of solar cells: is this cell functional or defective?

2,624 electroluminescence photographs, 300×300 and grey, from 44 modules (Buerhop-Lutz et al. 2018, Deitsch et al.
2019). They come with the pip package elpv-dataset; the data are CC-BY-NC-SA-4.0 and are never copied into torchstone.

An expert said of each cell whether it is functional or defective, and whether they were sure of it; `labels.csv` has
this as a defect probability: 0 functional, 1/3 functional but unsure, 2/3 defective but unsure, 1 defective. The
authors leave the use of it open (zae-bayern/elpv-dataset#2, #3). Here a cell counts as defective above 0.5, which is
the expert's own verdict with the doubt left out: 1,803 functional, 821 defective, so that always saying "functional"
is right for 68.7 %.

The paper trained on 1,968 cells and tested on the rest; the package does not have its split. The split here has the
same sizes and keeps the proportions of the four probabilities and of mono- and polycrystalline cells, so the paper's
88.42 % can stand beside ours, but is not from the same cells.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy
from numpy.typing import NDArray
from PIL import Image

from torchstone.data.labelled import LabelledImages
from torchstone.errors import UserError
from torchstone.extras import HINT, import_extra

CLASSES = ("functional", "defective")
DEFECTIVE_ABOVE = 0.5
PROBABILITY_STEPS = 3
"""The probabilities are thirds."""
SOURCE = "ELPV (elpv-dataset, Deitsch et al. 2019; CC-BY-NC-SA-4.0)"


class Cell(NamedTuple):
    """One line of labels.csv."""

    path: Path
    probability: float
    kind: str
    """`mono` or `poly`."""


def read_cells() -> tuple[Cell, ...]:
    """The list of cells with their labels; nothing is decoded."""
    folder = Path(import_extra("elpv_dataset").__file__).parent / "data"
    try:
        lines = (folder / "labels.csv").read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UserError(f"the ELPV labels cannot be read: {error}", f"reinstall it: {HINT}") from None
    fields = [line.split() for line in lines if line.strip()]
    return tuple(Cell(folder / name, float(probability), kind) for name, probability, kind in fields)


def read_strata() -> NDArray[numpy.int64]:
    """What a split keeps the proportions of, cell by cell; nothing is decoded."""
    return _strata(read_cells())


@lru_cache(maxsize=1)
def load_elpv(rows: tuple[int, ...] | None = None) -> LabelledImages:
    """All cells, or those of the rows, decoded once and kept: 236 MB for all. Read-only, because everybody shares them.

    Decoding all takes five seconds of one core, which a small budget does not have.
    """
    cells = read_cells()
    decode = _decode
    if rows is not None:
        cells, decode = tuple(cells[row] for row in rows), _decode_and_keep
    # Pillow decodes without holding the interpreter's lock, so threads help.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        images = numpy.stack(list(pool.map(decode, cells)))[..., numpy.newaxis]
    images.setflags(write=False)
    probabilities = numpy.array([cell.probability for cell in cells])
    return LabelledImages(
        images=images,
        labels=(probabilities > DEFECTIVE_ABOVE).astype(numpy.int64),
        classes=CLASSES,
        strata=_strata(cells),
        source=SOURCE,
    )


def _strata(cells: tuple[Cell, ...]) -> NDArray[numpy.int64]:
    """Eight: four probabilities, two kinds of crystal."""
    pairs = [(round(cell.probability * PROBABILITY_STEPS), cell.kind == "poly") for cell in cells]
    return numpy.array([2 * thirds + polycrystalline for thirds, polycrystalline in pairs], dtype=numpy.int64)


@cache
def _decode_and_keep(cell: Cell) -> NDArray[numpy.uint8]:
    """Another part of the cells may be wanted next, which shares some with this one."""
    return _decode(cell)


def _decode(cell: Cell) -> NDArray[numpy.uint8]:
    try:
        with Image.open(cell.path) as image:
            return numpy.asarray(image, dtype=numpy.uint8)
    except OSError as error:
        raise UserError(
            f"the ELPV photograph {cell.path.name} cannot be read: {error}", f"reinstall it: {HINT}"
        ) from None
