"""Read PyTorch CI's own tables for MPS out of torch/testing/_internal/common_mps.py, without importing it.

The file guards everything with `torch.backends.mps.is_available()`, so on other machines an import shows nothing; its
syntax tree shows all. The tables are keyed by the OpInfo's name and variant run together (`linalg.pinvhermitian`).
Releases change their form: the complex operators are a list of the supported ones up to 2.14 and of the unsupported
ones from 2.15 on.

An entry among the unimplemented may stand there because its result is unequal to the CPU's, which only the comment
above it tells; so comments are read, too.
"""

import ast
import re
from collections.abc import Iterator

import msgspec

MEMBER = "torch/testing/_internal/common_mps.py"
Dtypes = tuple[str, ...] | None
"""The dtypes that an entry holds for; None is every dtype."""
_UNEQUAL = re.compile(r"\b(output|results?) on (the )?CPU\b|mismatch|precision", re.IGNORECASE)
_LONG_NAMES = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "chalf": "complex32",
    "cfloat": "complex64",
    "cdouble": "complex128",
    "short": "int16",
    "int": "int32",
    "long": "int64",
}


class CiTables(msgspec.Struct, frozen=True, kw_only=True):
    """What PyTorch's CI expects of its operator samples on MPS."""

    fails: dict[str, Dtypes]
    """At least one sample raises: no kernel, or a refused dtype or argument."""
    fails_for_other_reasons: dict[str, Dtypes]
    """Expected to fail, but not because something is missing: random, undefined, or unequal to the CPU."""
    skipped: dict[str, Dtypes]
    complex_ok: tuple[str, ...] | None
    complex_fails: tuple[str, ...] | None
    no_double: bool
    """Whether every operator is expected to fail in float64 and complex128."""
    gradient_fails: dict[str, Dtypes]
    gradient_skipped: dict[str, Dtypes]


def read_ci_tables(text: str) -> CiTables | None:
    """The tables, or None where the file has another form."""
    tree = ast.parse(text)
    unequal = _unequal_entries(tree, text.splitlines())
    forward, gradient = _tables_in(tree, "mps_ops_modifier"), _tables_in(tree, "mps_ops_grad_modifier")
    if not isinstance(forward.get("UNIMPLEMENTED_XFAILLIST"), dict):
        return None
    fails = _mapping(forward, "UNIMPLEMENTED_XFAILLIST")
    others = _mapping(forward, "UNDEFINED_XFAILLIST") | _mapping(forward, "ON_MPS_XFAILLIST")
    return CiTables(
        fails={key: dtypes for key, dtypes in fails.items() if key not in unequal},
        fails_for_other_reasons=others | {key: dtypes for key, dtypes in fails.items() if key in unequal},
        skipped=_mapping(forward, "SKIPLIST") | _mapping(forward, "EMPTY_OPS_SKIPLIST"),
        complex_ok=_names(forward, "SUPPORTED_COMPLEX_OPS"),
        complex_fails=_names(forward, "UNSUPPORTED_COMPLEX_OPS"),
        no_double=_expects_doubles_to_fail(tree),
        gradient_fails=_mapping(gradient, "XFAILLIST_GRAD") | _mapping(gradient, "ON_MPS_XFAILLIST"),
        gradient_skipped=_mapping(gradient, "SKIPLIST_GRAD"),
    )


def dtype_name(node: ast.expr) -> str | None:
    """`torch.half` as `float16`; None for anything but an attribute."""
    return _LONG_NAMES.get(node.attr, node.attr) if isinstance(node, ast.Attribute) else None


def _tables_in(tree: ast.AST, function: str) -> dict[str, object]:
    """Every table in capitals that the function assigns; the last definition that holds one wins."""
    found: dict[str, object] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            found |= dict(_assignments(node))
    return found


def _assignments(function: ast.FunctionDef) -> Iterator[tuple[str, object]]:
    for node in ast.walk(function):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if isinstance(target, ast.Name) and target.id.isupper() and value is not None:
            yield target.id, _table(value)


def _table(node: ast.expr) -> object:
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return {key.value: _dtypes(value) for key, value in pairs if isinstance(key, ast.Constant)}
    if isinstance(node, ast.Set | ast.List | ast.Tuple):
        return tuple(element.value for element in node.elts if isinstance(element, ast.Constant))
    return None


def _dtypes(node: ast.expr) -> Dtypes:
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return tuple(filter(None, map(dtype_name, node.elts)))
    return None


def _unequal_entries(tree: ast.AST, lines: list[str]) -> set[str]:
    """The keys of all tables whose comment tells of an unequal result, and not of something missing."""
    keys = (key for node in ast.walk(tree) if isinstance(node, ast.Dict) for key in node.keys)
    entries = (key for key in keys if isinstance(key, ast.Constant))
    return {str(key.value) for key in entries if _UNEQUAL.search(_comment_above(lines, key.lineno - 1))}


def _comment_above(lines: list[str], number: int) -> str:
    """The comment lines that end right above a line."""
    first = number
    while first > 0 and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return " ".join(line.strip() for line in lines[first:number])


def _mapping(tables: dict[str, object], name: str) -> dict[str, Dtypes]:
    table = tables.get(name)
    return dict(table) if isinstance(table, dict) else {}


def _names(tables: dict[str, object], name: str) -> tuple[str, ...] | None:
    table = tables.get(name)
    if isinstance(table, dict):
        return tuple(table)
    return table if isinstance(table, tuple) else None


def _expects_doubles_to_fail(tree: ast.AST) -> bool:
    """Whether some `DecorateInfo(expectedFailure, dtypes=[torch.double, torch.cdouble])` stands in the file."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(
        keyword.arg == "dtypes" and set(_dtypes(keyword.value) or ()) == {"float64", "complex128"}
        for call in calls
        if call.args and ast.unparse(call.args[0]).endswith("expectedFailure")
        for keyword in call.keywords
    )
