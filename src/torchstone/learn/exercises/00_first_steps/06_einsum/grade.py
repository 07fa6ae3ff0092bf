"""Grades einsum: each kata against plain sums; square shapes, where wrong letters raise no error, come along."""

from collections.abc import Callable

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect, expect_same, looks_like, watch_call

PROMISES = {
    "Give each axis a letter, write the letters of the inputs, an": None,
    "Write each of these as one call of torch.einsum": "one_call_each",
    "many_products(a, b): a matrix product for each of a batch": "batches_are_right",
    "(batch, heads, n, d) and (batch, heads, m, d) → (batch, heads": "scores_are_right",
    "Lean: one call each and nothing else of torch, no Python loop": "one_call_each",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

TABLES = [(1, 1), (2, 3), (3, 3), (4, 2)]
PRODUCTS = [(1, 1, 1), (2, 3, 4), (3, 3, 3), (4, 1, 2)]
BATCHES = [(1, 1, 1, 1), (2, 2, 3, 4), (3, 3, 3, 3)]
HEADS = [(1, 1, 1, 1, 1), (2, 3, 2, 4, 5), (2, 2, 2, 2, 2)]
KNOBS = {"dtypes": (torch.float32, torch.float64), "layouts": ("contiguous", "strided")}


def table(draw: Draw, n: int, m: int) -> Tensor:
    return draw.normal(n, m)


def factors(draw: Draw, n: int, k: int, m: int) -> tuple[Tensor, Tensor]:
    return draw.normal(n, k), draw.normal(k, m)


def two_tables(draw: Draw, n: int, k: int) -> tuple[Tensor, Tensor]:
    return draw.normal(n, k), draw.normal(n, k)


def batch(draw: Draw, size: int, n: int, k: int, m: int) -> tuple[Tensor, Tensor]:
    return draw.normal(size, n, k), draw.normal(size, k, m)


def heads(draw: Draw, size: int, count: int, n: int, m: int, d: int) -> tuple[Tensor, Tensor]:
    return draw.normal(size, count, n, d), draw.normal(size, count, m, d)


def exact(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The same in float64, and back."""
    return lambda *args: function(*[one.double() for one in args]).to(args[0].dtype)


@check("solved")
def tables_are_turned(answer: Answer, draw: Draw) -> None:
    same = looks_like(lambda t: t, "Nothing moved: write the letters in the other order behind the arrow.")
    for one in draw.cases(table, TABLES, **KNOBS):
        expect_same(answer.turn, lambda t: t.T.clone(), one, diagnose=[same])


@check("solved")
def columns_are_summed(answer: Answer, draw: Draw) -> None:
    rows = looks_like(lambda t: t.sum(1), "Those are the sums of the rows: the letter that you drop is summed over.")
    whole = looks_like(lambda t: t.sum(), "Everything was summed: keep the letter of the columns.")
    for one in draw.cases(table, TABLES, **KNOBS):
        expect_same(answer.column_sums, exact(lambda t: t.sum(0)), one, diagnose=[rows, whole])


@check("solved")
def products_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda a, b: a * b, "That is number by number: the inner letter is shared, and dropped."),
        looks_like(lambda a, b: a @ b.T, "b is (k, m): its first letter is the one that it shares with a."),
        looks_like(
            lambda a, b: (a @ b).T, "The result is (n, m): the letters behind the arrow are the wrong way round."
        ),
    ]
    for case in draw.cases(factors, PRODUCTS, **KNOBS):
        expect_same(answer.product, exact(lambda a, b: a @ b), *case, diagnose=known)


@check("solved")
def row_products_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(
            lambda a, b: a @ b.T, "Those are the products of all rows with all rows: give both the same letter."
        ),
        looks_like(lambda a, b: (a * b).sum(0), "Those are products of columns: keep the letter of the rows."),
        looks_like(lambda a, b: (a * b).sum(), "All rows were added up: keep the letter of the rows."),
    ]
    for case in draw.cases(two_tables, TABLES, **KNOBS):
        expect_same(answer.row_products, exact(lambda a, b: (a * b).sum(1)), *case, diagnose=known)


@check("solved")
def batches_are_right(answer: Answer, draw: Draw) -> None:
    mixed = looks_like(
        lambda a, b: torch.einsum("bnk,ckm->bnm", a, b),
        "The batch of b was summed: it has the same letter as that of a.",
    )
    for case in draw.cases(batch, BATCHES, **KNOBS):
        expect_same(answer.many_products, exact(torch.matmul), *case, diagnose=[mixed])


@check("solved")
def scores_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda q, k: k @ q.mT, "Queries and keys changed places: a row is a query, a column is a key."),
        looks_like(lambda q, k: q @ k, "Each dot product goes along d, the last letter of both."),
        looks_like(lambda q, k: q @ k.mT / q.shape[-1] ** 0.5, "Only the dot products: the scaling comes elsewhere."),
    ]
    for case in draw.cases(heads, HEADS, **KNOBS):
        expect_same(answer.scores, exact(lambda q, k: q @ k.mT), *case, diagnose=known)


def calls(answer: Answer, draw: Draw) -> dict[str, tuple[Tensor, ...]]:
    """Each function of the answer with arguments for it."""
    return {
        "turn": (table(draw, 3, 2),),
        "column_sums": (table(draw, 3, 2),),
        "product": factors(draw, 3, 2, 4),
        "row_products": two_tables(draw, 3, 2),
        "many_products": batch(draw, 5, 2, 3, 2),
        "scores": heads(draw, 3, 4, 2, 3, 2),
    }


@check("solved")
def every_dtype_is_kept(answer: Answer, draw: Draw) -> None:
    """Halves stay halves, and float64 keeps its digits."""
    formulas = {
        "turn": lambda t: t.T.clone(),
        "column_sums": exact(lambda t: t.sum(0)),
        "product": exact(lambda a, b: a @ b),
        "row_products": exact(lambda a, b: (a * b).sum(1)),
        "many_products": exact(torch.matmul),
        "scores": exact(lambda q, k: q @ k.mT),
    }
    teach = "The result has the dtype of the inputs, and all of its digits: no other dtype on the way."
    for cases in draw.cases(lambda draw: calls(answer, draw), dtypes=(torch.float64, torch.float16, torch.bfloat16)):
        for name, args in cases.items():
            precise = {"rtol": 1e-12, "atol": 1e-13} if args[0].dtype == torch.float64 else {}
            expect_same(getattr(answer, name), formulas[name], *args, teach=teach, **precise)


@check("solved")
def einsum_does_it(answer: Answer, draw: Draw) -> None:
    for name, args in calls(answer, draw).items():
        seen = watch_call(getattr(answer, name), *args)
        teach = "This kata is about the letters: write it as torch.einsum(letters, …)."
        expect("einsum" in seen.functions, f"{name} does not call torch.einsum", teach=teach)


@check("lean")
def one_call_each(answer: Answer, draw: Draw) -> None:
    for name, args in calls(answer, draw).items():
        seen = watch_call(getattr(answer, name), *args, count_lines=True)
        others = sorted(set(seen.functions) - {"einsum"})
        expect(
            not others,
            f"{name} calls {', '.join(others)} besides torch.einsum",
            teach="The letters can say all of it: which axes meet, which stay, in which order.",
        )
        expect(
            seen.calls["einsum"] == 1,
            f"{name} calls torch.einsum {seen.calls['einsum']} times",
            teach="One sentence can say both: multiply along some letters, and sum over those that are dropped.",
        )
        lines = seen.python.total()
        teach = "The letters of the batch and the heads stay on both sides: no loop is needed."
        expect(lines <= 6, f"{name} runs {lines} lines of Python; one call is enough", teach=teach)
