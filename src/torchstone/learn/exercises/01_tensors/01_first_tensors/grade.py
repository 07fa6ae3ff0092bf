"""Grades first_tensors: three references, on bytes, whole numbers and floats of every layout."""

from itertools import chain

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect_close, expect_same, looks_like

PROMISES = {
    "Three small functions run without an error and are wrong.": None,
    "Mend each one; the mistakes are in dtypes and shapes, not in the idea.": None,
    "`brighten(image, amount)` adds a whole number, from −1,000 to 1,000,": None,
    "The arguments stay as they are, and none of them is empty.": "planes_are_right",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

PICTURES = [(1, 1), (1, 2), (2, 3), (4, 4), (7, 5)]
TABLES = [(1, 1), (1, 3), (2, 3), (3, 3), (6, 4)]
LAYOUTS = ("contiguous", "strided", "transposed")


def planes(image: Tensor) -> Tensor:
    return torch.stack([image[:, :, channel] for channel in range(3)]).float() / 255


def brighter(image: Tensor, amount: int) -> Tensor:
    return (image.double() + amount).clamp(0, 255).to(torch.uint8)


def centered(table: Tensor) -> Tensor:
    exact = table.double()
    return (exact - exact.sum(1, keepdim=True) / table.shape[1]).to(
        table.dtype if table.is_floating_point() else torch.float32
    )


def picture(draw: Draw, height: int, width: int) -> Tensor:
    return draw.integers(height, width, 3, high=256, dtype=torch.uint8)


def picture_and_amount(draw: Draw, height: int, width: int) -> tuple[Tensor, int]:
    return picture(draw, height, width), draw.choice([-1000, -300, -200, -20, 0, 10, 130, 255, 300, 1000])


def table(draw: Draw, rows: int, columns: int) -> Tensor:
    if not draw.dtype.is_floating_point:
        low = 0 if draw.dtype == torch.uint8 else -9
        return draw.integers(rows, columns, low=low, high=10, dtype=draw.dtype)
    return draw.normal(rows, columns)


@check("solved")
def planes_are_right(answer: Answer, draw: Draw) -> None:
    scrambled = looks_like(
        lambda image: image.reshape(3, *image.shape[:2]).float() / 255,
        "reshape keeps the numbers in their old order and only cuts the row of them anew; permute moves the axes.",
    )
    turned = looks_like(
        lambda image: image.permute(2, 1, 0).float() / 255,
        "Height and width changed places: say which old axis goes where, (2, 0, 1).",
    )
    for image in draw.cases(picture, PICTURES, layouts=LAYOUTS):
        expect_same(answer.to_planes, planes, image, diagnose=[scrambled, turned])
    for low, high in ((0, 2), (0, 1), (1, 2), (0, 9), (255, 256), (128, 256)):
        image = draw.integers(2, 4, 3, low=low, high=high, dtype=torch.uint8)
        expect_same(answer.to_planes, planes, image, teach="Every picture is divided by 255, however dark or bright.")


@check("solved")
def bytes_stop_at_their_ends(answer: Answer, draw: Draw) -> None:
    wrapped = looks_like(
        lambda image, amount: (image.int() + amount).to(torch.uint8),
        "Bytes wrap around: 250 + 10 is 4 again, and a clamp after that comes too late. Add in a wider dtype.",
    )
    for image, amount in draw.cases(picture_and_amount, PICTURES, layouts=LAYOUTS, repeats=4):
        expect_same(answer.brighten, brighter, image, amount, diagnose=[wrapped])
    every_byte = draw.place(torch.arange(256).view(16, 16, 1).expand(16, 16, 3).contiguous(), torch.uint8)
    for amount in (1, -1, 127, 128, -128, -129, 254, -254, -255, 256, -256, 257, 511, -512, 1000, -1000):
        expect_same(answer.brighten, brighter, every_byte, amount, diagnose=[wrapped])


@check("solved")
def rows_are_centered(answer: Answer, draw: Draw) -> None:
    columns = looks_like(
        lambda table: table - table.double().mean(0).to(table.dtype),
        "That is the mean of each column: dim names the axis that disappears.",
    )
    mixed_up = looks_like(
        lambda table: table - table.mean(1),
        "(rows,) lines up with the columns: broadcasting counts axes from the right. keepdim=True leaves (rows, 1).",
    )
    teach = "A row's mean must have the shape (rows, 1) to be taken from each element of its row."
    dtypes = (torch.float32, torch.float64, torch.int64)
    every = (*dtypes, torch.int32, torch.uint8, torch.int16, torch.int8)
    cases = draw.cases(table, TABLES, dtypes=dtypes), draw.cases(table, TABLES[-2:], dtypes=every, layouts=LAYOUTS)
    for values in chain(*cases):
        digits = {"rtol": 1e-12, "atol": 1e-12} if values.dtype == torch.float64 else {}
        expect_same(answer.center_rows, centered, values, diagnose=[columns, mixed_up], teach=teach, **digits)
    # Four columns: mean and difference are exact in float32, and in nothing narrower.
    large = draw.integers(3, 4, low=-(10**6), high=10**6, dtype=torch.int32)
    teach = "Large whole numbers need float32 before anything is computed."
    expect_same(answer.center_rows, centered, large, teach=teach)
    for far in draw.cases(lambda draw: draw.normal(3, 4) + 1e6, dtypes=(torch.float64,)):
        teach = "float64 stays float64 all the way: float32 has no digits left for these."
        expect_same(answer.center_rows, centered, far, teach=teach, rtol=1e-8, atol=1e-8)
    values = draw.normal(3, 4)
    values[1, 2] = draw.choice([torch.nan, torch.inf])
    got = answer.center_rows(values)[::2]
    teach = "A row has its own mean: NaN or infinity in one row is nothing to the others."
    expect_close(got, centered(values.cpu())[::2], what="rows beside one with a strange number", teach=teach)
