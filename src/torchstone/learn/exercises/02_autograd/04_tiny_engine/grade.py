"""Grades tiny_engine: the same small programs run on Scalars and, one leaf at a time, in forward mode.

Forward mode needs no graph and no order, so nothing that can go wrong in an answer can go wrong in the reference.
"""

import math
import operator as operators
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, fail, guard, raw

PROMISES = {
    "Each operation, `total += x` too, makes a new Scalar": "operations_change_nothing",
    "What the `grad` of any other Scalar is afterwards is up to you.": None,
    "`result.backward()` adds to the `grad` of every leaf (a Scalar": "random_graphs",
    "A Scalar may be used many times:": "shared_nodes",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

FORBIDDEN = dict.fromkeys(
    (
        "tensor",
        "scalar_tensor",
        "backward",
        "torch.autograd.grad",
        "torch.autograd.backward",
        "tanh",
        "mul",
        "add",
        "sub",
    ),
    "torch's autograd is what you are writing: plain Python floats and math.tanh are enough.",
)
Step = tuple[str, str, str, str]
"""name, operator, left, right; an operand is a name or a number."""
EXACT = 1e-9
LARGEST = 3.0
"""Values beyond it go through tanh, so that products do not explode."""
LINES_PER_NODE = 600
"""A pass that visits each node once takes some ten lines for each; one that follows every path takes billions."""

SINGLE = ["a + b", "a * b", "a - b", "a + a", "a * a", "-a", "tanh a"]
NUMBERS = ["a + 2", "2 + a", "a * 3", "3 * a", "a - 2", "2 - a", "a + 2.5", "2.5 - a", "a - 0.5", "1.5 * a"]
"""Whole ones and others, on either side."""
SHARED = [
    ["p = a - a"],
    ["p = tanh a", "q = p + p"],
    ["p = tanh a", "q = p + a", "r = q * p"],
    ["p = a * a", "q = p + p", "r = q * p"],
    ["p = a * b", "q = p + a", "r = q * p", "s = r - q"],
    # A short way and a long one to the same node, met in either order.
    ["p = a * b", "q = tanh p", "r = tanh q", "s = p + r"],
    ["p = a * b", "q = tanh p", "r = tanh q", "s = r + p"],
    ["p = a * b", "q = tanh p", "r = q * q", "s = p * r", "t = s - p"],
]


def parse(line: str, name: str = "r") -> Step:
    if " = " in line:
        name, line = line.split(" = ")
    words = line.split()
    if len(words) == 1:
        return name, "-", words[0][1:], ""
    return (name, "tanh", words[1], "") if len(words) == 2 else (name, words[1], words[0], words[2])


def run(steps: Sequence[Step], known: dict[str, Any]) -> dict[str, Any]:
    """Every name of a program with its value; `known` are the leaves."""
    known = dict(known)

    def operand(text: str) -> Any:
        return known[text] if text in known else int(text) if text.isdigit() else float(text)

    for name, symbol, left, right in steps:
        x = operand(left)
        if symbol == "tanh":
            known[name] = x.tanh()
        elif not right:
            known[name] = -x
        else:
            y = operand(right)
            known[name] = x + y if symbol == "+" else x - y if symbol == "-" else x * y
    return known


@dataclass(frozen=True)
class Dual:
    """A value and its derivative with respect to one leaf."""

    value: float
    slope: float = 0.0

    def __add__(self, other: "Dual | float") -> "Dual":
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    def __mul__(self, other: "Dual | float") -> "Dual":
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> "Dual":
        return self * -1.0

    def __sub__(self, other: "Dual | float") -> "Dual":
        return self + -1.0 * other

    def __rsub__(self, other: float) -> "Dual":
        return -self + other

    def tanh(self) -> "Dual":
        return Dual(math.tanh(self.value), self.slope * (1 - math.tanh(self.value) ** 2))


def derivative(steps: Sequence[Step], leaves: dict[str, float], results: Sequence[str], leaf: str) -> float:
    """Of the sum of the results, as if `backward()` had been called on each."""
    known = run(steps, {name: Dual(value, float(name == leaf)) for name, value in leaves.items()})
    return sum(known[result].slope for result in results)


def expect_gradients(
    answer: Answer, steps: Sequence[Step], leaves: dict[str, float], results: Sequence[str], teach: str
) -> None:
    scalar = raw(answer.Scalar)
    program = "; ".join(spell(step) for step in steps) + "; " + "; ".join(f"{one}.backward()" for one in results)

    def run_program(program: str, **leaves: float) -> dict[str, float]:
        known = run(steps, {name: scalar(value) for name, value in leaves.items()})
        for result in results:
            known[result].backward()
        return {name: known[name].grad for name in leaves}

    got = guard(run_program, "backward")(program, **leaves)
    for name in leaves:
        expected = derivative(steps, leaves, results, name)
        expect_close(got[name], expected, what=f"{name}.grad", teach=teach, rtol=EXACT, atol=EXACT)


def spell(step: Step) -> str:
    name, operator, left, right = step
    return f"{name} = " + (
        f"{left}.tanh()" if operator == "tanh" else f"{left} {operator} {right}" if right else f"-{left}"
    )


def numbers(draw: Draw, *names: str) -> dict[str, float]:
    return {name: round(draw.random.uniform(0.2, 1.2) * draw.choice([-1, 1]), 3) for name in names}


def random_program(draw: Draw, leaves: dict[str, float], length: int) -> list[Step]:
    values, steps = dict(leaves), []
    while len(steps) < length:
        pool = list(values)
        # Half of the operands are recent nodes: deep graphs; the others are any: shared nodes.
        left, right = (draw.choice(pool[-3:] if draw.random.random() < 0.5 else pool) for _ in range(2))
        operator = draw.choice(["+", "*", "-", "tanh"])
        name = f"v{len(steps)}"
        step = (name, operator, left, "" if operator == "tanh" else right)
        if abs(value_after(step, values)) > LARGEST:
            step = (name, "tanh", left, "")
        values[name] = value_after(step, values)
        steps.append(step)
    return steps


def value_after(step: Step, values: dict[str, float]) -> float:
    return float(run([step], {name: Dual(value) for name, value in values.items()})[step[0]].value)


@check(
    "solved", teach="Python asks the left operand first (`__mul__`) and then, for 3 * a, the right one (`__rmul__`)."
)
def values_are_right(answer: Answer, draw: Draw) -> None:
    scalar = raw(answer.Scalar)
    for line in (*SINGLE, *NUMBERS):
        leaves, step = numbers(draw, "a", "b"), parse(line)

        def evaluate(expression: str, step: Step = step, **leaves: float) -> Any:
            return run([step], {name: scalar(value) for name, value in leaves.items()})["r"]

        result = guard(evaluate, "the expression")(spell(step)[4:], **leaves)
        expected = run([step], {name: Dual(value) for name, value in leaves.items()})["r"].value
        is_scalar = isinstance(result, scalar)
        expect(is_scalar, f"{spell(step)[4:]} is a {type(result).__name__}", teach="Every operation gives a Scalar.")
        expect_close(result.value, expected, what=f"the value of {spell(step)[4:]}", rtol=EXACT, atol=EXACT)
        expect_close(result.grad, 0.0, what="the grad of a new Scalar", teach="Before backward() every grad is 0.0.")


@check("solved")
def one_operation(answer: Answer, draw: Draw) -> None:
    teach = "Each operation's own derivative; where a Scalar is used twice, both uses count."
    for line in (*SINGLE, *NUMBERS):
        expect_gradients(answer, [parse(line)], numbers(draw, "a", "b"), ["r"], teach)


@check("solved", teach="math.tanh stands any number; exp(2x) overflows near 355.")
def tanh_stands_large_numbers(answer: Answer, draw: Draw) -> None:
    for value in (400.0, -400.0, 1e6):
        leaf = raw(answer.Scalar)(value)
        result = leaf.tanh()
        result.backward()
        expect_close([result.value, leaf.grad], [math.copysign(1.0, value), 0.0], what=f"tanh({value:g}) and its slope")


@check("solved")
def shared_nodes(answer: Answer, draw: Draw) -> None:
    teach = "A node that several others use must pass on its gradient once, after all of it has arrived."
    for lines in SHARED:
        steps = [parse(line) for line in lines]
        expect_gradients(answer, steps, numbers(draw, "a", "b"), [steps[-1][0]], teach)


@check("solved")
def random_graphs(answer: Answer, draw: Draw) -> None:
    teach = "Order the nodes so that each comes after all of its users, then let each pass on its gradient once."
    for length in (2, 3, 4, 6, 8, 12, 16, 20):
        leaves = numbers(draw, "a", "b", "c")
        steps = random_program(draw, leaves, length)
        expect_gradients(answer, steps, leaves, [steps[-1][0]], teach)


@check("solved")
def passes_add_up(answer: Answer, draw: Draw) -> None:
    teach = "grad holds what earlier passes left; what flows in this pass must start from zero, or it is counted twice."
    steps = [parse(line) for line in ("p = a * b", "q = tanh p", "r = p + a", "s = q * p")]
    for results in (["p", "p"], ["q", "r"], ["s", "q", "s"]):
        expect_gradients(answer, steps, numbers(draw, "a", "b"), results, teach)


@check("solved")
def work_stays_small(answer: Answer, draw: Draw) -> None:
    scalar, doublings = raw(answer.Scalar), 40
    leaf = node = scalar(0.5)
    for _ in range(doublings):
        node = node + node
    with line_budget(LINES_PER_NODE * doublings):
        node.backward()
    expect_close(leaf.grad, 2.0**doublings, what="the gradient after 40 times x = x + x", rtol=EXACT)


@check("solved")
def long_chains(answer: Answer, draw: Draw) -> None:
    scalar = raw(answer.Scalar)
    leaf, factor = scalar(0.5), scalar(1.0)
    total: Any = scalar(0.0)
    for _ in range(5_000):
        total = total + leaf * factor
    try:
        total.backward()
    except RecursionError:
        fail(
            "backward() runs into Python's recursion limit on a sum of 5,000 terms",
            teach="Each level of recursion is a Python call, and 1,000 is the end: keep a list as your own stack.",
        )
    expect_close([leaf.grad, factor.grad], [5_000.0, 2_500.0], what="the gradients of a sum of 5,000 terms")
    for line, slope in (("-p", 1.0), ("p - 1", 1.0), ("p * 1.0", 1.0), ("1 - p", 1.0), ("tanh p", 1.0)):
        leaf = node = scalar(0.0)
        steps = [parse(line)]
        for _ in range(5_000):
            node = run(steps, {"p": node})["r"]
        node.backward()
        expect_close(leaf.grad, slope, what=f"the gradient after 5,000 times p = {line}")


@check("solved")
def a_leaf_is_a_result_too(answer: Answer, draw: Draw) -> None:
    teach = "The derivative of a leaf with respect to itself is 1, and it adds to its grad like any other."
    steps = [parse("p = a * b")]
    for results in (["a"], ["a", "a"], ["p", "a"], ["b", "p", "b"]):
        expect_gradients(answer, steps, numbers(draw, "a", "b"), results, teach)


@check("solved", teach="`total += x` is `total = total + x`: others may still use what total was.")
def operations_change_nothing(answer: Answer, draw: Draw) -> None:
    """Every operator, the ones with = too, leaves its operands alone, and gives a Scalar that is none of them."""
    scalar = raw(answer.Scalar)
    for name in ("add", "sub", "mul", "iadd", "isub", "imul"):
        for other in (scalar(0.25), 2, 0, 1):
            before = scalar(1.5) * scalar(0.5)
            user = before * 3.0
            after = getattr(operators, name)(before, other)
            expect(after is not before and after is not other, f"{name} gives back one of its operands as the result")
            expect_close([before.value, user.value], [0.75, 2.25], what=f"what {name} leaves of its operands")
        expect(-before is not before, "-x gives back x")
    leaf = scalar(0.5)
    total = kept = leaf * 2.0
    total += leaf
    total *= leaf
    total -= 1
    total.backward()
    expect_close([leaf.grad, kept.value], [3.0, 1.0], what="x.grad of (2x + x) · x − 1, and 2x, which is still 1")


@check("solved")
def graphs_grow_after_a_pass(answer: Answer, draw: Draw) -> None:
    """A result that was made before and after a backward pass through its parts, as in a loop over time."""
    scalar = raw(answer.Scalar)
    leaf, other = scalar(0.5), scalar(3.0)
    node = leaf * other
    expected = [0.0, 0.0]
    for power in range(1, 5):
        node.backward()
        # node is other^power · leaf.
        expected = [expected[0] + 3.0**power, expected[1] + 0.5 * power * 3.0 ** (power - 1)]
        what = f"the gradients after {power} passes, each through a longer graph"
        teach = "A pass goes through the graph as it is now: no order and no gradient is kept from the one before."
        expect_close([leaf.grad, other.grad], expected, what=what, teach=teach)
        node = node * other


@check("solved")
def numbers_are_not_rounded(answer: Answer, draw: Draw) -> None:
    """Small and large ones, and the far end of tanh, where 1 − tanh² is nearly nothing."""
    teach = "Plain floats, with all of their digits: nothing is rounded, cut off or held."
    for line in ("p = a * b", "p = a - b", "p = tanh a"):
        for small in (1e-15, 1e9):
            leaves = {"a": draw.choice([-1, 1]) * small * 1.2345, "b": small * 0.5}
            if line == "p = tanh a":
                leaves["a"] = 1e-15 if small < 1 else 30.0
            known = run([parse(line)], {name: raw(answer.Scalar)(value) for name, value in leaves.items()})
            duals = run([parse(line)], {name: Dual(value) for name, value in leaves.items()})
            known["p"].backward()
            expect_close(
                known["p"].value, duals["p"].value, what=f"the value of {line}", teach=teach, rtol=EXACT, atol=0
            )
            for name in leaves:
                wanted = derivative([parse(line)], leaves, ["p"], name)
                what = f"{name}.grad of {line} at {leaves[name]:g}"
                # 1 − tanh² and 1 / cosh² are both right, and differ where there is next to nothing left.
                atol = 1e-15 if "tanh" in line else 1e-300
                expect_close(known[name].grad, wanted, what=what, teach=teach, rtol=EXACT, atol=atol)


@contextmanager
def line_budget(most: int) -> Iterator[None]:
    """Fail once more than `most` lines of Python have run inside."""
    left = most

    def count(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            sys.settrace(None)
            fail(
                f"backward() over 40 nodes, each the sum of the one before with itself, has run {most:,} lines",
                teach="It follows every path, and there are 2⁴⁰ of them: visit each node once.",
            )
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)
