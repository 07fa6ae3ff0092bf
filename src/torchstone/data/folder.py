"""A person's own photographs: a folder with one sub-folder for each class.

Whatever can't be used is left out with a reason, counted and named; only where nothing usable is left is it an error.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy
from numpy.typing import NDArray

from torchstone.data.decoding import UnusableImageError, decode_square, quiet_pillow
from torchstone.data.labelled import LabelledImages
from torchstone.errors import UserError

SIDE = 256
"""Pixels: a crop of 224 fits in, as in the usual ImageNet recipe."""
MOST_BYTES = 2 * 1024**3
"""Of decoded photographs in memory: 10,922 of 256×256."""
MOST_THREADS = 4
"""More would take more memory than they save time: each holds a photograph of up to `decoding.LARGE_PIXELS`."""
FEWEST_IN_A_CLASS = 3
"""One to learn from, one to choose the best epoch by and one to be judged by."""
HINT = "make one sub-folder for each class, with three photographs or more inside: FOLDER/cat/1.jpg, FOLDER/dog/7.png"
BY_THE_SYSTEM = {"__MACOSX", "Thumbs.db", "desktop.ini"}

Skipped = dict[str, list[str]]


class _File(NamedTuple):
    path: Path
    class_name: str


def load_folder(
    folder: str | os.PathLike[str], side: int = SIDE, seed: int = 0, most_bytes: int = MOST_BYTES
) -> LabelledImages:
    """Every usable photograph, cut to its middle square; the classes are the sub-folders' names in order."""
    root = Path(folder).expanduser()
    skipped: Skipped = defaultdict(list)
    files = _choose(_list_files(root, skipped), side, seed, most_bytes, skipped)
    images, usable = _decode_all(files, side, skipped)
    kept = _drop_small_classes(files, usable, skipped)
    classes = tuple(sorted({files[position].class_name for position in kept}))
    _require_two(root, classes, skipped)
    labels = numpy.array([classes.index(files[position].class_name) for position in kept], dtype=numpy.int64)
    return LabelledImages(
        images=_compact(images, kept),
        labels=labels,
        classes=classes,
        strata=labels,
        source=str(root),
        skipped={reason: tuple(names) for reason, names in sorted(skipped.items())},
    )


def explain_skipped(skipped: Mapping[str, Sequence[str]]) -> list[str]:
    """One line for each reason: how many files, and the first of them."""
    return [f"{len(names)} left out: {reason} (such as {names[0]})" for reason, names in skipped.items()]


def _list_files(root: Path, skipped: Skipped) -> list[_File]:
    """Every file beneath the class folders, however deep; the class is the topmost folder's name."""
    if not root.exists():
        raise UserError(f"there is no folder {root}", "see whether the path is right: --data FOLDER")
    if not root.is_dir():
        raise UserError(f"{root} is a file, not a folder", HINT)
    found = []
    for path in _walk(root):
        parts = path.relative_to(root).parts
        if any(part.startswith(".") or part in BY_THE_SYSTEM for part in parts):
            skipped["hidden, or made by the system"].append(str(path))
        elif len(parts) == 1:
            skipped["not in a class folder"].append(str(path))
        else:
            found.append(_File(path, parts[0]))
    return found


def _walk(root: Path) -> Iterator[Path]:
    """In order of name, without following links to folders, which may lead in a circle."""

    def refuse(error: OSError) -> None:
        if error.filename == str(root):
            raise UserError(f"the folder {root} cannot be read: {error.strerror}", "see its permissions") from None

    for place, folders, names in os.walk(root, onerror=refuse):
        folders.sort()
        for name in sorted(names):
            yield Path(place, name)


def _choose(files: list[_File], side: int, seed: int, most_bytes: int, skipped: Skipped) -> list[_File]:
    """As many as fit in memory: by turns from each class at random, so that a small class is not crowded out."""
    limit = max(1, most_bytes // (side * side * 3))
    if len(files) <= limit:
        return files
    random = numpy.random.default_rng(seed)
    seen: dict[str, int] = defaultdict(int)
    turns: dict[Path, int] = {}
    for position in random.permutation(len(files)):
        file = files[position]
        turns[file.path] = seen[file.class_name]
        seen[file.class_name] += 1
    by_turn = sorted(files, key=lambda file: turns[file.path])
    reason = f"beyond the {limit:,} that fit in {most_bytes / 1024**3:.3g} GiB of memory"
    skipped[reason].extend(str(file.path) for file in by_turn[limit:])
    return sorted(by_turn[:limit])


def _decode_all(files: list[_File], side: int, skipped: Skipped) -> tuple[NDArray[numpy.uint8], list[int]]:
    """One array with a place for each file, and the places that were filled."""
    images = numpy.empty((len(files), side, side, 3), dtype=numpy.uint8)

    def fill(position: int) -> str | None:
        try:
            images[position] = decode_square(files[position].path, side)
        except UnusableImageError as error:
            return str(error)
        return None

    reasons = _in_threads(fill, len(files))
    for file, reason in zip(files, reasons, strict=True):
        if reason is not None:
            skipped[reason].append(str(file.path))
    return images, [position for position, reason in enumerate(reasons) if reason is None]


def _in_threads(fill: Callable[[int], str | None], count: int) -> list[str | None]:
    pool = ThreadPoolExecutor(min(MOST_THREADS, os.cpu_count() or 1))
    try:
        with quiet_pillow():
            return list(pool.map(fill, range(count)))
    finally:
        # Otherwise Ctrl-C would wait for every file that is still in the queue.
        pool.shutdown(cancel_futures=True)


def _drop_small_classes(files: list[_File], usable: list[int], skipped: Skipped) -> list[int]:
    sizes = Counter(files[position].class_name for position in usable)
    small = [position for position in usable if sizes[files[position].class_name] < FEWEST_IN_A_CLASS]
    if small:
        reason = f"a class with fewer than {FEWEST_IN_A_CLASS} usable photographs"
        skipped[reason].extend(str(files[position].path) for position in small)
    return sorted(set(usable) - set(small))


def _compact(images: NDArray[numpy.uint8], kept: list[int]) -> NDArray[numpy.uint8]:
    """The kept ones moved to the front in place: a copy would take the memory twice."""
    for target, position in enumerate(kept):
        if target != position:
            images[target] = images[position]
    return images[: len(kept)]


def _require_two(root: Path, classes: tuple[str, ...], skipped: Skipped) -> None:
    if len(classes) >= 2:
        return
    why = "; ".join(explain_skipped(skipped))
    if classes:
        message = f"{root} has usable photographs of one class only, {classes[0]!r}: there is nothing to tell apart"
    else:
        message = f"{root} has no usable photographs in class folders"
    raise UserError(f"{message} ({why})" if why else message, HINT)
