"""Read torch's OpInfo tables as syntax: which operator samples PyTorch's CI runs, on which device in which dtypes.

CI's list of failures alone can't say that something works: an operator may be absent from the list because nobody
tests it. With the OpInfos, absence from the list means "tested and expected to pass". They are read as a tree because
another release's file can't be imported, and importing one's own takes 5 s and 390 MB.
"""

import ast
import re
from collections.abc import Iterator

import msgspec

from torchstone.ops.wheels.ci_tables import dtype_name

MEMBERS = (
    "torch/testing/_internal/common_methods_invocations.py",
    *(
        f"torch/testing/_internal/opinfo/definitions/{name}.py"
        for name in ("_masked", "fft", "linalg", "signal", "sparse", "special")
    ),
)
_FLOATING = ("float32", "float64")
_COMPLEX = ("complex64", "complex128")
_INTEGRAL = ("uint8", "int8", "int16", "int32", "int64")
_GROUPS = {
    "empty_types": (),
    "floating_types": _FLOATING,
    "floating_types_and_half": (*_FLOATING, "float16"),
    "floating_and_complex_types": _FLOATING + _COMPLEX,
    "double_types": ("float64", "complex128"),
    "integral_types": _INTEGRAL,
    "complex_types": _COMPLEX,
    "all_types": _FLOATING + _INTEGRAL,
    "all_types_and_complex": _FLOATING + _INTEGRAL + _COMPLEX,
    "all_types_and_half": (*_FLOATING, *_INTEGRAL, "float16"),
    "all_mps_types": ("float32", "float16", "bfloat16", *_INTEGRAL),
    "custom_types": (),
}
"""torch/testing/_internal/common_dtype.py; each also with `_and(more dtypes)`."""
_NOT_ON_MPS = {"float64", "complex128"}
_OTHER_KINDS = re.compile("PythonRef|Foreach|Decorate|Module|Optim")
"""Classes that are no operator samples, or samples of Python reference implementations or of lists of tensors."""


_KEYWORDS = {"cpu": ("dtypes",), "cuda": ("dtypesIfCUDA", "dtypes"), "mps": ("dtypesIfMPS", "dtypes")}


class OpInfo(msgspec.Struct, frozen=True):
    """One operator sample set: the name in CI's tables, the aten name, the dtypes that it claims by device."""

    key: str
    """Name and variant run together, as CI's tables have them."""
    aten_name: str
    dtypes: dict[str, tuple[str, ...]]
    """By device (`cpu`, `cuda`, `mps`); a device whose dtypes are not written out is left out."""
    gradient_dtypes: tuple[str, ...]
    """On MPS; empty where the operator has no gradient."""
    variant: str = ""

    @property
    def label(self) -> str:
        """For people: `scatter_reduce (sum)`."""
        return f"{self.key.removesuffix(self.variant)} ({self.variant})" if self.variant else self.key


def read_op_infos(text: str) -> tuple[OpInfo, ...]:
    """Every OpInfo of one file whose name and dtypes are written out."""
    return tuple(info for call in _calls(ast.parse(text)) if (info := _op_info(call)) is not None)


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Info"):
            yield node


def _op_info(call: ast.Call) -> OpInfo | None:
    assert isinstance(call.func, ast.Name)
    name = _text(call.args[0]) if call.args else None
    if name is None or _OTHER_KINDS.search(call.func.id) or name.startswith("_refs."):
        return None
    keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    claimed = {device: _first_known(keywords, *names) for device, names in _KEYWORDS.items()}
    dtypes = {device: tuple(sorted(set(found))) for device, found in claimed.items() if found is not None}
    variant = keywords.get("variant_test_name")
    if not dtypes or (variant is not None and _text(variant) is None):  # made in a loop: its name can't be read
        return None
    if "mps" in dtypes:
        dtypes["mps"] = _without_doubles(dtypes["mps"])
    backward = _first_known(keywords, "backward_dtypesIfMPS", "backward_dtypes") or dtypes.get("mps", ())
    return OpInfo(
        name + (_text(variant) or ""),
        (_text(keywords.get("aten_name")) or name.removeprefix("nn.functional.")).replace(".", "_"),
        dtypes,
        _without_doubles(backward) if _has_gradient(keywords) else (),
        _text(variant) or "",
    )


def _without_doubles(dtypes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(set(dtypes) - _NOT_ON_MPS))


def _has_gradient(keywords: dict[str, ast.expr]) -> bool:
    node = keywords.get("supports_autograd")
    return not (isinstance(node, ast.Constant) and node.value is False)


def _text(node: ast.expr | None) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _first_known(keywords: dict[str, ast.expr], *names: str) -> tuple[str, ...] | None:
    """What the first keyword that is given says; None where it is given in a form that can't be read."""
    given = [keywords[name] for name in names if name in keywords and not _is_none(keywords[name])]
    return _dtypes(given[0]) if given else None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _dtypes(node: ast.expr) -> tuple[str, ...] | None:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        names = tuple(map(dtype_name, node.elts))
        return None if None in names else tuple(filter(None, names))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        group = _GROUPS.get(node.func.id, _GROUPS.get(node.func.id.removesuffix("_and")))
        more = tuple(map(dtype_name, node.args))
        return None if group is None or None in more else group + tuple(filter(None, more))
    return None
