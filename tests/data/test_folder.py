"""A person's own folder: what is usable is used, the rest is named, and only an empty hand is an error."""

from pathlib import Path

import numpy
import pytest
from PIL import Image

from torchstone.data.folder import explain_skipped, load_folder
from torchstone.data.labelled import split_images
from torchstone.errors import UserError

SIDE = 16


def save(path: Path, colour: str = "red") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (20, 20), colour).save(path)


def two_classes(root: Path, each: int = 4) -> Path:
    for number in range(each):
        save(root / "cat" / f"{number}.png", "red")
        save(root / "dog" / f"{number}.jpg", "blue")
    return root


def test_two_classes(tmp_path: Path) -> None:
    data = load_folder(two_classes(tmp_path), side=SIDE)
    assert data.classes == ("cat", "dog")
    assert data.images.shape == (8, SIDE, SIDE, 3)
    assert data.labels.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert data.images[0, 0, 0, 0] == 255
    assert data.images[7, 0, 0, 2] > 250
    assert data.skipped == {}
    split = split_images(data, seed=0)
    assert numpy.bincount(data.labels[split.test]).tolist() == [1, 1]


def test_what_cannot_be_used_is_named_and_the_rest_stays_in_order(tmp_path: Path) -> None:
    root = two_classes(tmp_path)
    save(root / "cat" / "kittens" / "deep" / "5.png", "red")
    save(root / "cat" / ".hidden.png")
    save(root / ".git" / "1.png")
    save(root / "__MACOSX" / "1.png")
    save(root / "loose.png")
    (root / "cat" / "0a.jpg").touch()
    (root / "dog" / "notes.txt").write_text("bring food")
    Image.new("RGB", (1, 1)).save(root / "dog" / "tiny.png")
    (root / "cat" / "1a.jpg").write_bytes((root / "dog" / "1.jpg").read_bytes()[:200])
    save(root / "lonely" / "1.png")
    (root / "nothing").mkdir()
    data = load_folder(root, side=SIDE)
    assert data.classes == ("cat", "dog")
    assert data.labels.tolist() == [0] * 5 + [1] * 4
    assert (data.images[data.labels == 0][..., 0] > 250).all()
    assert (data.images[data.labels == 1][..., 2] > 250).all()
    assert {reason: len(names) for reason, names in data.skipped.items()} == {
        "hidden, or made by the system": 3,
        "not in a class folder": 1,
        "empty file": 1,
        "not an image that Pillow can read": 1,
        "smaller than 8 pixels": 1,
        "broken or cut off": 1,
        "a class with fewer than 3 usable photographs": 1,
    }
    assert any("empty file" in line and "0a.jpg" in line for line in explain_skipped(data.skipped))


def test_memory_is_bounded_and_small_classes_keep_their_place(tmp_path: Path) -> None:
    root = two_classes(tmp_path, each=3)
    for number in range(30):
        save(root / "zebra" / f"{number}.png")
    data = load_folder(root, side=SIDE, most_bytes=12 * SIDE * SIDE * 3)
    assert numpy.bincount(data.labels).tolist() == [3, 3, 6]
    (reason,) = data.skipped
    assert reason.startswith("beyond the 12 that fit in")
    assert len(data.skipped[reason]) == 24
    again = load_folder(root, side=SIDE, most_bytes=12 * SIDE * SIDE * 3)
    assert again.skipped == data.skipped


def test_a_link_in_a_circle_ends(tmp_path: Path) -> None:
    root = two_classes(tmp_path)
    (root / "cat" / "again").symlink_to(root, target_is_directory=True)
    assert len(load_folder(root, side=SIDE)) == 8


def error(folder: Path) -> UserError:
    with pytest.raises(UserError) as caught:
        load_folder(folder, side=SIDE)
    return caught.value


def test_no_folder(tmp_path: Path) -> None:
    assert "there is no folder" in error(tmp_path / "missing").message
    save(tmp_path / "file.png")
    assert "is a file, not a folder" in error(tmp_path / "file.png").message


def test_nothing_usable(tmp_path: Path) -> None:
    assert "no usable photographs" in error(tmp_path).message
    save(tmp_path / "loose.png")
    found = error(tmp_path)
    assert "1 left out: not in a class folder" in found.message
    assert "one sub-folder for each class" in found.hint


def test_one_class_is_nothing_to_tell_apart(tmp_path: Path) -> None:
    for number in range(3):
        save(tmp_path / "cat" / f"{number}.png")
    (tmp_path / "dog").mkdir()
    (tmp_path / "dog" / "1.jpg").touch()
    found = error(tmp_path)
    assert "one class only, 'cat'" in found.message
    assert "1 left out: empty file" in found.message


def test_two_of_each_class_cannot_be_split(tmp_path: Path) -> None:
    """One to learn from, one to choose the epoch by, one to be judged by."""
    found = error(two_classes(tmp_path, each=2))
    assert "no usable photographs in class folders" in found.message
    assert "4 left out: a class with fewer than 3 usable photographs" in found.message
