"""Values as a few lines of text: what kind it is, and the numbers around the place that matters."""

from collections.abc import Mapping
from typing import Any

import torch

from torchstone.learn.verdicts import Shown

ROWS = 6
COLUMNS = 6
TEXT_LIMIT = 300
MARK_OPEN, MARK_CLOSE = "›", "‹"
DIGITS = (4, 7, 12, 17)
"""Significant digits to try until the two numbers look different."""


def show(label: str, value: Any, index: tuple[int, ...] | None = None, digits: int = DIGITS[0]) -> Shown:
    """A value under its name; `index` is the element to mark."""
    if isinstance(value, torch.Tensor):
        return Shown(label=label, kind=kind_of(value), lines=tensor_lines(value, index, digits))
    return Shown(label=label, kind=kind_of(value), lines=(_shorten(_plain(value)),))


def show_call(arguments: Mapping[str, Any]) -> tuple[Shown, ...]:
    return tuple(show(name, value) for name, value in arguments.items())


def kind_of(value: Any) -> str:
    """`float32[2, 3]`, with what is unusual about it; for anything else its type."""
    if not isinstance(value, torch.Tensor):
        return type(value).__name__
    kind = f"{dtype_name(value.dtype)}{list(value.shape)}"
    if value.device.type != "cpu":
        kind += f" on {value.device}"
    if value.layout is torch.strided and not value.is_contiguous():
        kind += f", strides {value.stride()}"
    return kind


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def tensor_lines(value: torch.Tensor, index: tuple[int, ...] | None, digits: int) -> tuple[str, ...]:
    """The numbers of a small tensor, or those of a large one around `index`."""
    if value.device.type == "meta" or value.numel() == 0:
        return ()
    grid = value.detach().to("cpu")
    grid = grid.to_dense() if grid.layout is not torch.strided else grid
    marks, index = index is not None, index or (0,) * grid.dim()
    prefix = "".join(f"{position}, " for position in index[:-2])
    while grid.dim() > 2:
        grid, index = grid[index[0]], index[1:]
    rows = grid.reshape(1, -1) if grid.dim() < 2 else grid
    marked = (0, index[-1] if index else 0) if grid.dim() < 2 else index
    lines = _grid_lines(rows, marked, digits, marks)
    return (f"at [{prefix}:, :]", *lines) if prefix else lines


def _grid_lines(rows: torch.Tensor, marked: Any, digits: int, marks: bool) -> tuple[str, ...]:
    top, left = _window(marked[0], rows.shape[0], ROWS), _window(marked[1], rows.shape[1], COLUMNS)
    cells = [
        [number(item, digits) for item in row[left.start : left.stop].tolist()] for row in rows[top.start : top.stop]
    ]
    if marks:
        row, column = marked[0] - top.start, marked[1] - left.start
        cells = [[f" {cell} " for cell in line] for line in cells]
        cells[row][column] = MARK_OPEN + cells[row][column].strip() + MARK_CLOSE
    width = max(len(cell) for row in cells for cell in row)
    lines = [_row_line(row, width, left, rows.shape[1]) for row in cells]
    above = [f"⋮ from row {top.start}"] if top.start else []
    below = [f"⋮ to row {rows.shape[0] - 1}"] if top.stop < rows.shape[0] else []
    return (*above, *lines, *below)


def _row_line(cells: list[str], width: int, shown: range, total: int) -> str:
    before = f"…{shown.start}: " if shown.start else ""
    after = " …" if shown.stop < total else ""
    return before + " ".join(cell.rjust(width) for cell in cells) + after


def _window(position: int, length: int, most: int) -> range:
    start = max(0, min(position - most // 2, length - most))
    return range(start, min(length, start + most))


def number(value: Any, digits: int = DIGITS[0]) -> str:
    """A number as a person would write it."""
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    return str(value)


def digits_to_tell(expected: Any, got: Any) -> int:
    """How many digits it takes to see that two numbers differ."""
    for digits in DIGITS:
        if number(expected, digits) != number(got, digits):
            return digits
    return DIGITS[-1]


def _plain(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        inner = ", ".join(_plain(item) for item in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_plain(item)}" for key, item in value.items()) + "}"
    if isinstance(value, torch.Tensor):
        return number(value.item()) if value.numel() == 1 and value.device.type != "meta" else kind_of(value)
    return repr(value)


def _shorten(text: str) -> str:
    return text if len(text) <= TEXT_LIMIT else text[:TEXT_LIMIT] + " …"
