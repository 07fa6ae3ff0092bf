# earns: solved lean
# transposes and einsum instead of new axes
import torch


def add_row(table, row):
    return torch.add(table, row)


def scale_rows(table, weights):
    return (table.T * weights).T


def gaps(a, b):
    return (a.reshape(-1, 1) - b.reshape(1, -1)).abs()


def to_shares(table):
    return table.div(table.sum(dim=-2))


def tint(photos, colour):
    return torch.einsum("ncij,c->ncij", photos, colour)
