"""Shapes as people write them, and as they should not."""

import pytest

from torchstone.errors import UserError
from torchstone.models.shapes import parse_shape


@pytest.mark.parametrize("text", ["1x3x224x224", "1X3X224X224", "1×3×224×224", " 1 x 3 x 224 x 224 "])
def test_shapes(text: str) -> None:
    assert parse_shape(text) == (1, 3, 224, 224)


def test_one_dimension() -> None:
    assert parse_shape("128") == (128,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a shape"),
        ("x", "is not a shape"),
        ("1x3x", "is not a shape"),
        ("1,3,224,224", "is not a shape"),
        ("1x3.5", "is not a shape"),
        ("axb", "is not a shape"),
        ("1x٣", "is not a shape"),
        ("1x-3x224", "has a size of -3"),
        ("0x3", "has a size of 0"),
        ("99999x99999x99999", "is too large"),
        ("1x1x1x1x1x1x1x1x1", "is too large"),
    ],
)
def test_misuse(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        parse_shape(text)
    assert caught.value.hint
