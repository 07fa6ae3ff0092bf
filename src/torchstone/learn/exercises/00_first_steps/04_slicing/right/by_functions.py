# earns: solved
# functions instead of brackets
import torch


def first_row(table):
    return table.select(0, 0)


def last_column(table):
    return table.select(1, table.shape[1] - 1)


def every_other_row(table):
    return table[torch.arange(0, len(table), 2, device=table.device)]


def without_border(table):
    rows, columns = table.shape
    return table.narrow(0, 1, rows - 2).narrow(1, 1, columns - 2)


def chosen_rows(table, rows):
    return torch.index_select(table, 0, rows)


def above(table, limit):
    return torch.masked_select(table, table > limit)
