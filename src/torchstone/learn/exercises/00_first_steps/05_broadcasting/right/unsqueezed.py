# earns: solved lean
# unsqueeze, view and keepdim
def add_row(table, row):
    return table + row.unsqueeze(0)


def scale_rows(table, weights):
    return weights.unsqueeze(1) * table


def gaps(a, b):
    return abs(a.unsqueeze(1) - b.unsqueeze(0))


def to_shares(table):
    return table / table.sum(0, keepdim=True)


def tint(photos, colour):
    return photos * colour.view(1, 3, 1, 1)
