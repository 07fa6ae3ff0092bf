"""Checks of values that can do no more than raise: `if torch.isnan(x).any(): raise …` and `assert mask.all()`.

A trace has no values. Where both ways go on, which one is taken is a guess; where one of them only raises, a model that
works takes the other, so a trace goes on there, and the answer says so. Not where the program itself may catch what is
raised, and not where one part of a condition (`and`, `or`) decides whether another is computed.
"""

import ast
import sys
from functools import cache
from types import FrameType

from torchstone.checking.catching import handler_line, tree_of
from torchstone.checking.places import is_of_layers, is_somebodys


def passing_value() -> bool | None:
    """The truth that lets a program go on, where its own code reads one now and raises otherwise."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_somebodys(frame.f_code.co_filename):
        frame = frame.f_back
    wanted = None if frame is None else _guards(frame.f_code.co_filename).get(frame.f_lineno)
    return None if wanted is None or handler_line(frame) else wanted


def passing_value_of_a_layer() -> bool | None:
    """The same of a layer of torch that reads one, on behalf of whatever code calls it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_somebodys(frame.f_code.co_filename):
        if is_of_layers(frame.f_code.co_filename):
            return _guards(frame.f_code.co_filename).get(frame.f_lineno)
        frame = frame.f_back
    return None


@cache
def _guards(filename: str) -> dict[int, bool]:
    """By each line of a condition: what it must be."""
    found: dict[int, bool] = {}
    for statement in ast.walk(tree_of(filename)):
        if isinstance(statement, ast.If) and _only_raises(statement):
            _note(statement.test, wanted=False, found=found)
        elif isinstance(statement, ast.Assert):
            _note(statement.test, wanted=True, found=found)
    return found


def _only_raises(statement: ast.If) -> bool:
    return len(statement.body) == 1 and isinstance(statement.body[0], ast.Raise)


def _note(test: ast.expr, wanted: bool, found: dict[int, bool]) -> None:
    """Of a condition that is one truth: one that is turned round, or chosen, within it would need another."""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, wanted = test.operand, not wanted
    if not any(isinstance(one, ast.Not | ast.IfExp) or _skips_calls(one) for one in ast.walk(test)):
        found.update(dict.fromkeys(range(test.lineno, (test.end_lineno or test.lineno) + 1), wanted))


def _skips_calls(part: ast.AST) -> bool:
    """Whether one truth within it decides if another is computed; a plain name costs nothing."""
    computed = [one for one in part.values if _calls(one)] if isinstance(part, ast.BoolOp) else []
    return len(computed) > 1


def _calls(part: ast.AST) -> bool:
    return any(isinstance(one, ast.Call) for one in ast.walk(part))
