"""The house rules that a machine can check: imports go downwards, vendor calls stay in backends/, no junk drawers."""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "torchstone"
LAYERS = (
    ("errors", "bounds", "records", "interrupting", "files"),
    ("stats", "store", "host", "processes", "extras"),
    ("pretend",),
    ("backends",),
    ("machine",),
    ("measuring",),
    ("data",),
    ("models",),
    ("correctness", "loadgen"),
    ("scheduling",),
    ("engines",),
    ("training",),
    ("contests",),
    ("experiments", "ops", "tuning", "learn"),
    ("checking",),
    ("notebook",),
    ("benching",),
    ("options",),
    ("commands",),
    ("cli",),
    ("__main__",),
)
"""From the ground up; a module may import from its own room and from the layers below."""
OPEN_LAYERS = LAYERS[:2]
"""Whose rooms may import each other too."""
RULES_OF_THEIR_OWN = ("__init__", "report")
"""The public face, which is lazy and names everything, and the reports."""
VENDOR_ROOMS = ("backends", "pretend")
REPORT_MAY_IMPORT = {"report", "errors", "records", "files", "stats", "store"}
JUNK_DRAWERS = {"utils", "common", "helpers", "misc"}
SHOWS_ITSELF = "_repr_html_"
VENDOR_CALL = re.compile(r"\btorch\.(cuda|mps|xpu)\.")
"""A call or an attribute, not the words in a sentence."""


def modules() -> list[Path]:
    return [path for path in SOURCE.rglob("*.py") if "exercises" not in path.parts]


def room(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imports(path: Path) -> set[str]:
    """The rooms of ours that a module imports, anywhere in it; for type checking alone does not count.

    Nor does what a noun imports to show itself in a notebook: that the reports alone know, and only when it is shown.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
        if isinstance(node, ast.FunctionDef) and node.name == SHOWS_ITSELF:
            node.body = [one for one in node.body if not _asks_notebooks(one)]
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{name.name}" for name in node.names}
    return {name.split(".")[1] for name in found if name.startswith("torchstone.") and name.count(".") >= 1}


def _asks_notebooks(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "torchstone.report.notebooks"


def level(name: str) -> int:
    return next((number for number, layer in enumerate(LAYERS) if name in layer), -1)


def allowed(own: str, other: str) -> bool:
    if other == own or other == "__version__":
        return True
    if other == "report":
        return level(own) >= level("experiments")
    return 0 <= level(other) < level(own) or any(own in layer and other in layer for layer in OPEN_LAYERS)


def parametrized(paths: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("path", paths, ids=lambda path: str(path.relative_to(SOURCE)))


@parametrized([path for path in modules() if room(path) not in RULES_OF_THEIR_OWN])
def test_imports_go_downwards(path: Path) -> None:
    own = room(path)
    assert level(own) >= 0, f"{own} has no layer: give it one in tests/test_architecture.py"
    assert [other for other in sorted(imports(path)) if not allowed(own, other)] == []


def test_the_rules_would_notice() -> None:
    assert allowed("commands", "report")
    assert allowed("store", "stats")
    assert not allowed("measuring", "report")
    assert not allowed("backends", "measuring")
    assert not allowed("errors", "store")


@parametrized([path for path in modules() if room(path) == "report"])
def test_reports_read_records_alone(path: Path) -> None:
    assert imports(path) <= REPORT_MAY_IMPORT
    assert not re.search(r"^\s*(import|from) torch\b", path.read_text(encoding="utf-8"), re.MULTILINE)


@parametrized([path for path in modules() if room(path) not in VENDOR_ROOMS])
def test_vendor_calls_stand_in_backends_alone(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    assert not [call for call in calls if VENDOR_CALL.search(call + ".")]


def test_no_junk_drawers() -> None:
    assert not [path for path in modules() if path.stem in JUNK_DRAWERS]


@parametrized(modules())
def test_every_module_says_its_one_job(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
