# earns: solved lean
# einsum's other form, numbers in lists for letters, imported by its own name
from torch import einsum

BATCH, HEAD, N, M, K = range(5)


def turn(table):
    return einsum(table, [N, M], [M, N])


def column_sums(table):
    return einsum(table, [N, M], [M])


def product(a, b):
    return einsum(a, [N, K], b, [K, M], [N, M])


def row_products(a, b):
    return einsum(a, [N, K], b, [N, K], [N])


def many_products(a, b):
    return einsum(a, [BATCH, N, K], b, [BATCH, K, M], [BATCH, N, M])


def scores(queries, keys):
    return einsum(queries, [BATCH, HEAD, N, K], keys, [BATCH, HEAD, M, K], [BATCH, HEAD, N, M])
