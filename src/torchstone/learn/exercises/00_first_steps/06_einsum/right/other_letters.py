# earns: solved lean
# other letters, and an ellipsis for the batch
from torch import einsum


def turn(table):
    return einsum("ij->ji", table)


def column_sums(table):
    return einsum("ab->b", table)


def product(a, b):
    return einsum("ij,jk->ik", a, b)


def row_products(a, b):
    return einsum("ij,ij->i", a, b)


def many_products(a, b):
    return einsum("...ij,...jk->...ik", a, b)


def scores(queries, keys):
    return einsum("...qd,...kd->...qk", queries, keys)
