"""Read an input's shape as people write it: 1x3x224x224."""

import math
import re

from torchstone.errors import UserError

SHAPE_HINT = "give the shape of its input: --input 1x3x224x224"
MOST_ELEMENTS = 2**31
"""8 GiB of float32: beyond, a zero too many is likelier than intent."""
MOST_DIMENSIONS = 8


def parse_shape(text: str) -> tuple[int, ...]:
    """`1x3x224x224` → (1, 3, 224, 224); also with `X`, `×` or `*` and with spaces."""
    parts = [part.strip() for part in re.split(r"[xX×*]", text)]
    if not all(re.fullmatch(r"-?[0-9]{1,12}", part, re.ASCII) for part in parts):
        raise UserError(f"--input {text!r} is not a shape", "write whole numbers with x between: 1x3x224x224")
    shape = tuple(int(part) for part in parts)
    if min(shape) < 1:
        raise UserError(f"--input {text!r} has a size of {min(shape)}", "every size must be 1 or more")
    if len(shape) > MOST_DIMENSIONS or math.prod(shape) > MOST_ELEMENTS:
        raise UserError(
            f"--input {text!r} is too large ({math.prod(shape):,} numbers)", "see whether there is a digit too many"
        )
    return shape
