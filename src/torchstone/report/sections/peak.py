"""How much of a device its models use: beside what it can do at most in a matrix product and in a copy."""

from torchstone.report.cases import Row, is_believable, place_words
from torchstone.report.names import work_of
from torchstone.report.sections import Shown, View

TITLE = "How much of the machine"
ORDER = 35
EXPERIMENTS = ("peak",)
MOST_MODELS = 8
PRODUCT, COPY = "peak/matmul/", "peak/copy"
WRITING = "decode"
BYTES_EACH = {"float64": 8, "float32": 4, "bfloat16": 2, "float16": 2}


def show(view: View) -> Shown | None:
    limits = {_key(row): row for row in view.rows("peak") if is_believable(row) and row.middle}
    if not limits:
        return None
    sentences = [f"{place_words(row)}: {_limit_words(row)}." for row in limits.values()]
    used = [words for row in view.rows("inference") for words in _used(row, limits)]
    return Shown([*sentences, *used[:MOST_MODELS]])


def _key(row: Row) -> tuple[str, str]:
    return row.place, row.measurement.name


def _limit_words(row: Row) -> str:
    name = row.measurement.name
    if name == COPY:
        return f"copies {row.value_words} within its main memory, reading and writing counted"
    return f"at most {row.value_words} in matrix products of {name.removeprefix(PRODUCT)}"


def _used(row: Row, limits: dict[tuple[str, str], Row]) -> list[str]:
    """Of the arithmetic where it was counted; of the memory where a model writes word by word."""
    one, work = row.measurement, work_of(row.measurement.name)
    if not is_believable(row) or not row.middle or one.quantity != "time":
        return []
    dtype = one.setup.dtype or "float32"
    product, copy = limits.get((row.place, PRODUCT + dtype)), limits.get((row.place, COPY))
    flop, parameters = one.facts.get("FLOP"), one.facts.get("parameters")
    what = f"{work.words} ({row.how})"
    if isinstance(flop, int | float) and product is not None and product.middle:
        share = flop / row.middle / product.middle
        return [f"{what} computes {share:.0%} of the device's {dtype} matrix products."]
    items = one.facts.get("items")
    if one.name.endswith(WRITING) and copy is not None and copy.middle and isinstance(parameters, int):
        calls = items if isinstance(items, int) else 1
        share = parameters * BYTES_EACH.get(dtype, 4) * calls / row.middle / copy.middle
        return [f"{what} reads its weights at {share:.0%} of the device's copying speed."]
    return []
