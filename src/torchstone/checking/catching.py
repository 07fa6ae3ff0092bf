"""Whether a program itself catches what is raised at a line: `try: torch.linalg.eig(x) … except RuntimeError: …`.

A trace raises nothing where a device would, so that the way through the handler is neither taken nor judged. A handler
counts where it may catch what is raised and does not end by raising itself; `contextlib.suppress` is one, too.
"""

import ast
import builtins
import linecache
from collections.abc import Iterable
from functools import cache
from types import FrameType
from typing import Any

from torchstone.checking.places import is_somebodys, shorten

REFUSALS = (NotImplementedError, RuntimeError, TypeError)
"""What torch raises for a kernel that is missing, sizes or arguments, and a dtype."""
TRIES: tuple[type[ast.stmt], ...] = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef)
_Handler = tuple[int, tuple[ast.expr, ...]]
"""Its line, and the classes that it names; none where it names none and catches all."""


def handler_line(frame: FrameType | None, raised: Iterable[type] = ()) -> str:
    """The line of the innermost handler, from a frame outwards, that may catch one of these classes (by default,
    anything), as `file.py:12`; empty where there is none."""
    while frame is not None:
        filename = frame.f_code.co_filename
        handlers = _handlers(filename).get(frame.f_lineno, ()) if is_somebodys(filename) else ()
        for line, named in handlers:
            if not raised or not named or any(_may_catch(one, frame, tuple(raised)) for one in named):
                return f"{shorten(filename)}:{line}"
        frame = frame.f_back
    return ""


def tree_of(filename: str) -> ast.Module:
    """What a file holds; empty where that is no Python: a cell of a notebook with commands of its own, say."""
    try:
        return ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


@cache
def _handlers(filename: str) -> dict[int, tuple[_Handler, ...]]:
    """By line: the handlers around it in its own function, the innermost first."""
    found: dict[int, tuple[_Handler, ...]] = {}
    _walk(tree_of(filename), (), found)
    return found


def _walk(node: ast.AST, around: tuple[_Handler, ...], found: dict[int, tuple[_Handler, ...]]) -> None:
    around = () if isinstance(node, SCOPES) else around  # its body runs when it is called
    inner = (*_own_handlers(node), *around)
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                within = inner if name == "body" else around
                if isinstance(child, ast.stmt):
                    found.update(dict.fromkeys(range(child.lineno, (child.end_lineno or child.lineno) + 1), within))
                _walk(child, within, found)


def _own_handlers(node: ast.AST) -> list[_Handler]:
    if isinstance(node, TRIES):
        return [(one.lineno, _classes(one.type)) for one in node.handlers if not isinstance(one.body[-1], ast.Raise)]  # type: ignore[attr-defined]
    if isinstance(node, ast.With | ast.AsyncWith):
        calls = [one.context_expr for one in node.items if isinstance(one.context_expr, ast.Call)]
        return [(one.lineno, tuple(one.args)) for one in calls if one.args and _last_name(one.func) == "suppress"]
    return []


def _classes(named: ast.expr | None) -> tuple[ast.expr, ...]:
    return () if named is None else tuple(named.elts) if isinstance(named, ast.Tuple) else (named,)


def _last_name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _may_catch(named: ast.expr, frame: FrameType, raised: tuple[type, ...]) -> bool:
    """Whether the class that is named is one of theirs, or above; also where it cannot be told which is named."""
    found = _resolve(named, frame)
    return not isinstance(found, type) or any(issubclass(one, found) for one in raised)


def _resolve(named: ast.expr, frame: FrameType) -> Any:
    if isinstance(named, ast.Attribute):
        return getattr(_resolve(named.value, frame), named.attr, None)
    if isinstance(named, ast.Name):
        return frame.f_globals.get(named.id, getattr(builtins, named.id, None))
    return None
