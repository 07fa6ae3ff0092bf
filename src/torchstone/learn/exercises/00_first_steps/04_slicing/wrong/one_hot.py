# rejected by: every_dtype_is_kept: Every number comes back as it is, in the table's own dtype.
# rows by a product of floats, which round large whole numbers; 'right numbers for tables of every size, dtype'
"""Pick parts of a table."""

from torch import Tensor


def first_row(table: Tensor) -> Tensor:
    """The first row, as it is: an example."""
    return table[0]


def last_column(table: Tensor) -> Tensor:
    """The last number of each row."""
    return table[:, -1]


def every_other_row(table: Tensor) -> Tensor:
    """The rows 0, 2, 4, …"""
    return table[::2]


def without_border(table: Tensor) -> Tensor:
    """Everything but the first and last row and the first and last column."""
    return table[1:-1, 1:-1]


def chosen_rows(table: Tensor, rows: Tensor) -> Tensor:
    """The named rows, in that order."""
    import torch

    return (torch.nn.functional.one_hot(rows.long(), len(table)).to(table.device).float() @ table.float()).to(
        table.dtype
    )


def above(table: Tensor, limit: float) -> Tensor:
    """The numbers larger than `limit`, in one row."""
    # A table of booleans picks the places that are True, in reading order.
    return table[table > limit]
