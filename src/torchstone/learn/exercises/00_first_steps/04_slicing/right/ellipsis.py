# earns: solved
# ellipses and unbinding
def first_row(table):
    return table[0, ...]


def last_column(table):
    return table[..., -1]


def every_other_row(table):
    return table[0::2, :]


def without_border(table):
    return table[1:-1][:, 1:-1]


def chosen_rows(table, rows):
    return table[rows, :]


def above(table, limit):
    flat = table.reshape(-1)
    return flat[flat > limit]
