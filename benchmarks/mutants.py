"""Do the checks see a mistake? Every solution is mutated, and the checks must reject what changes its results.

Why: a grader that lets a wrong answer pass teaches the mistake. Each mutant has one small change: an operator, a
constant, an argument, a dropped line. Whether it changes anything is decided without the verdict under test: solution
and mutant are called with the same inputs, at sizes that the checks do not use too, and graded with other seeds. Of
the mutants that do change something, the share that one ordinary grading rejects is reported. The last line is one
JSON document.

    python benchmarks/mutants.py --each 12 --jobs 1              # all chapters
    python benchmarks/mutants.py --chapters 01 --each 30 --jobs 2
"""

import argparse
import ast
import contextlib
import copy
import itertools
import json
import random
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, is_dataclass
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from torchstone.learn.catalog import Exercise, find_exercises
from torchstone.learn.grader import PRELOAD, Grader
from torchstone.processes import ForkServer, Limits

TARGET = 0.97
SEEDS = (11, 12, 13)
"""Other gradings that may find a change that the calls do not show, such as one in a gradient."""
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.MatMult: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    exercise: Exercise
    change: str
    source: bytes


@dataclass(frozen=True)
class Judgement:
    mutant: Mutant
    changed: bool
    rejected: bool


def mutate_node(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """All small changes of one node, each with a name."""
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        other = OPERATORS[type(node.op)]()
        yield f"{type(node.op).__name__} → {type(other).__name__}", _changed(node, op=other)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield "comparison", _changed(node, ops=[COMPARISONS[type(node.ops[0])]()])
    if isinstance(node, ast.BoolOp):
        yield "and ↔ or", _changed(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
    if isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield f"dropped {type(node.op).__name__}", node.operand
    if isinstance(node, ast.Constant):
        yield from ((f"{node.value!r} → {value!r}", ast.Constant(value)) for value in _other_constants(node.value))
    if isinstance(node, ast.Call):
        yield from _mutate_call(node)


def _other_constants(value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    if isinstance(value, float):
        return [value * 2 if value else 1.0]
    return []


def _mutate_call(node: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    if len(node.args) >= 2:
        yield "swapped arguments", _changed(node, args=[node.args[1], node.args[0], *node.args[2:]])
    if node.args:
        yield "dropped the last argument", _changed(node, args=node.args[:-1])
    for place, keyword in enumerate(node.keywords):
        rest = [*node.keywords[:place], *node.keywords[place + 1 :]]
        yield f"dropped {keyword.arg}=", _changed(node, keywords=rest)
    if isinstance(node.func, ast.Attribute) and not node.args and not node.keywords:
        yield f"dropped .{node.func.attr}()", node.func.value


def _changed(node: ast.AST, **fields: Any) -> ast.AST:
    twin = copy.copy(node)
    for name, value in fields.items():
        setattr(twin, name, value)
    return twin


@dataclass(frozen=True)
class Place:
    """One change of a solution: at which node of its tree, and which of the changes that can be made there."""

    position: int
    number: int


DROPPED = -1
"""The number of the change that leaves a whole statement out."""


def places_of(tree: ast.AST) -> list[Place]:
    """Where a solution can be changed. Only those that are drawn are written out, which is the slow part."""
    silent = _without_effect(tree)
    found = []
    for position, node in enumerate(ast.walk(tree)):
        if id(node) not in silent:
            found += [Place(position, number) for number, _ in enumerate(mutate_node(node))]
        if _can_be_dropped(node):
            found.append(Place(position, DROPPED))
    return found


def make_mutant(exercise: Exercise, place: Place) -> Mutant:
    tree = ast.parse(exercise.solution.read_bytes())
    node = list(ast.walk(tree))[place.position]
    name, replacement = ("dropped", ast.Pass()) if place.number == DROPPED else list(mutate_node(node))[place.number]
    line = getattr(node, "lineno", 0)
    before = ast.unparse(tree).splitlines()
    source = ast.unparse(ast.fix_missing_locations(_Replace(node, replacement).visit(tree)))
    written = next((new for old, new in zip(before, source.splitlines(), strict=False) if new != old), "")
    return Mutant(exercise, f"line {line}: {name}: {written.strip()}", source.encode())


def draw_mutants(exercise: Exercise, most: int, seed: int) -> list[Mutant]:
    """So many mutants of a solution, drawn at random; all of them for 0."""
    places = places_of(ast.parse(exercise.solution.read_bytes()))
    wanted = len(places) if most == 0 else min(most, len(places))
    return [make_mutant(exercise, place) for place in random.Random(seed).sample(places, wanted)]


class _Replace(ast.NodeTransformer):
    def __init__(self, node: ast.AST, replacement: ast.AST) -> None:
        self.node, self.replacement = node, replacement

    def visit(self, node: ast.AST) -> Any:
        return self.replacement if node is self.node else self.generic_visit(node)


def _without_effect(tree: ast.AST) -> set[int]:
    """Everything inside annotations, which do nothing when the code runs."""
    found = set()
    for parent in ast.walk(tree):
        for name in ("annotation", "returns"):
            part = getattr(parent, name, None)
            if part is not None:
                found |= {id(inner) for inner in ast.walk(part)}
    return found


def _can_be_dropped(node: ast.AST) -> bool:
    kinds = (ast.Assign, ast.AugAssign, ast.Expr, ast.If, ast.For, ast.With, ast.Delete)
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return isinstance(node, kinds) and not docstring


def behaves_otherwise(grade_path: Path, solution_path: Path, source: bytes, stem: str) -> bool:
    """In a fresh process: whether the mutant and the solution differ on recorded and on larger inputs."""
    import torch

    from torchstone.learn.grading.answers import Answer
    from torchstone.learn.grading.checks import checks_of
    from torchstone.learn.grading.draws import fresh_draw
    from torchstone.learn.grading.session import session
    from torchstone.learn.judging import load_module

    torch.set_num_threads(1)
    grade = load_module("grade", grade_path, grade_path.read_bytes())
    solution = load_module(stem, solution_path, solution_path.read_bytes())
    session.calls, session.seed = [], 99
    for check in checks_of(grade):
        if check.mark != "solved":
            continue
        session.begin_check()
        # A size that the solution need not take ends the check: what was recorded up to there is enough.
        with contextlib.suppress(BaseException):
            check.run(Answer(solution), fresh_draw())
    calls, session.calls = session.calls, None
    mutant = load_module(stem, solution_path, source)
    for call in calls:
        ours, theirs = vars(solution).get(call.name), vars(mutant).get(call.name)
        if not callable(ours) or isinstance(ours, type):
            continue
        expected = _result(ours, _copies(call))
        if expected[0] != "raised" and not _same(expected, _result(theirs, _copies(call))):
            return True
    return False


def _copies(call: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments for one more call; a generator as well, or the second call would draw what comes next."""
    import torch
    from torch.utils._pytree import tree_map_only

    from torchstone.learn.grading.keeping import clone

    copied = clone((call.positional, dict(call.keyword)))
    args, kwargs = tree_map_only(torch.Generator, lambda one: one.clone_state(), copied)
    return args, kwargs


def _result(function: Any, arguments: tuple[tuple[Any, ...], dict[str, Any]]) -> tuple[str, Any, Any]:
    import torch

    torch.manual_seed(5)
    try:
        return "returned", function(*arguments[0], **arguments[1]), arguments
    except Exception as error:  # the exception is the result
        return "raised", type(error).__name__, None


def _same(one: tuple[str, Any, Any], other: tuple[str, Any, Any]) -> bool:
    """Whether two results agree, and what was done to the arguments too."""
    from torchstone.learn.grading.checks import Failed
    from torchstone.learn.grading.comparing import expect_close
    from torchstone.learn.grading.keeping import same_values

    if one[0] != other[0]:
        return False
    try:
        expect_close(_plain(other[1]), _plain(one[1]))
    except Failed:
        return False
    except (RuntimeError, TypeError, ValueError):
        return True  # two things that can't be compared, such as closures: not a difference that can be shown
    return same_values(one[2], other[2])


class Bench:
    """Where one mutant at a time is judged: the grader, and servers with what each exercise loads beforehand."""

    def __init__(self) -> None:
        self.grader = Grader("cpu")
        self._servers: dict[tuple[str, ...], ForkServer] = {}

    def server(self, exercise: Exercise) -> ForkServer:
        preload = (*PRELOAD, *sorted(exercise.preload))
        if preload not in self._servers:
            self._servers[preload] = ForkServer(preload)
        return self._servers[preload]

    def close(self) -> None:
        self.grader.close()
        for server in self._servers.values():
            server.close()


def _plain(value: Any) -> Any:
    """Without classes of the solution's own: the mutant's have the same names, and are others."""
    import torch

    if isinstance(value, torch.nn.Module):
        return {"parameters and buffers": dict(value.state_dict())}
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(part) for name, part in vars(value).items()}
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        parts = [_plain(part) for part in value]
        return parts if isinstance(value, list) else tuple(parts)
    return value


def judge(mutant: Mutant, bench: Bench) -> Judgement:
    """Whether a mutant does something else, and whether one ordinary grading rejects it."""
    exercise, grader = mutant.exercise, bench.grader
    with tempfile.TemporaryDirectory(prefix="torchstone-mutant-") as folder:
        path = Path(folder) / f"{exercise.folder.name}.py"
        path.write_bytes(mutant.source)
        rejected = not grader.grade(exercise, path, mutant.source).solved
        call = partial(
            behaves_otherwise, exercise.folder / "grade.py", exercise.solution, mutant.source, exercise.folder.name
        )
        limits = Limits(seconds=exercise.time_limit_s * 2, memory_bytes=exercise.memory_bytes)
        outcome = bench.server(exercise).run(call, limits)
        changed = outcome.ended != "returned" or bool(outcome.value)
        if not changed:
            changed = any(not grader.grade(exercise, path, mutant.source, seed).solved for seed in SEEDS)
    return Judgement(mutant, changed, rejected)


def judge_all(mutants: list[Mutant], jobs: int) -> list[Judgement]:
    """All judgements, each told on stderr as it comes: a run takes long, and one cut short has shown something too."""
    benches: SimpleQueue[Bench] = SimpleQueue()
    for _ in range(jobs):
        benches.put(Bench())
    finished = itertools.count(1)

    def perform(mutant: Mutant) -> Judgement:
        bench = benches.get()
        try:
            judgement = judge(mutant, bench)
        finally:
            benches.put(bench)
        print(f"{next(finished)}/{len(mutants)} {_tell(judgement)}", file=sys.stderr, flush=True)
        return judgement

    try:
        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(perform, mutants))
    finally:
        for _ in range(jobs):
            benches.get().close()


def _tell(one: Judgement) -> str:
    outcome = "the same" if not one.changed else "rejected" if one.rejected else "MISSED"
    return f"{one.mutant.exercise.name}, {one.mutant.change}: {outcome}"


def figures(judgements: Iterable[Judgement]) -> dict[str, Any]:
    """How many mutants did something else, and which share of those was rejected; null where there were none."""
    judged = list(judgements)
    changed = [one for one in judged if one.changed]
    rejected = sum(one.rejected for one in changed)
    share = rejected / len(changed) if changed else None
    return {"mutants": len(judged), "changed": len(changed), "rejected": rejected, "share": share}


def figures_by_chapter(judgements: Iterable[Judgement]) -> dict[str, dict[str, Any]]:
    chapters: dict[str, list[Judgement]] = {}
    for one in judgements:
        chapters.setdefault(one.mutant.exercise.chapter, []).append(one)
    return {chapter: figures(of_chapter) for chapter, of_chapter in chapters.items()}


def choose_mutants(options: argparse.Namespace) -> list[Mutant]:
    mutants: list[Mutant] = []
    for exercise in find_exercises():
        if options.chapters and exercise.chapter[:2] not in options.chapters:
            continue
        if options.names and exercise.name not in options.names:
            continue
        mutants += draw_mutants(exercise, options.each, options.seed)
    return mutants


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--chapters", nargs="*", default=[], help="two digits each; all unless told")
    parser.add_argument("--names", nargs="*", default=[])
    parser.add_argument("--each", type=int, default=20, help="mutants of each solution, drawn at random; 0 is all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    judgements = judge_all(choose_mutants(options), options.jobs)
    missed = [_tell(one) for one in judgements if one.changed and not one.rejected]
    total = figures(judgements)
    document = {
        "benchmark": "mutants",
        **total,
        "within": total["share"] is not None and total["share"] >= TARGET,
        "chapters": figures_by_chapter(judgements),
        "missed": missed,
    }
    print(json.dumps(document, ensure_ascii=False))


if __name__ == "__main__":
    main()
