"""Each thing that a check can ask: what passes, what fails, and what the learner is told."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import ModuleType

import pytest
import torch
from tests.measuring.work_clock import WorkClock
from torch import Tensor

from torchstone import stats
from torchstone.learn import grading
from torchstone.learn.grading import Draw, forbidding, speed
from torchstone.learn.grading.answers import Answer
from torchstone.learn.grading.checks import Skipped, checks_of
from torchstone.learn.grading.draws import Layout, pair_up
from torchstone.learn.grading.session import Session, session
from torchstone.learn.judging import explain_exception
from torchstone.learn.verdicts import Failure
from torchstone.measuring.contest import Contest, Standing

MakeAnswer = Callable[[str], Answer]
FailureOf = Callable[[Callable[[], object]], Failure]


@contextmanager
def stand_ins_taken_back(module: ModuleType) -> Iterator[None]:
    """Stand-ins stay for as long as the process that grades; a test must not leave them to the next."""
    before = dict(vars(module))
    yield
    vars(module).update(before)


def time_as(monkeypatch: pytest.MonkeyPatch, low: float, middle: float, high: float) -> None:
    """Let every contest end with this interval."""

    def hold(theirs: object, mine: object, band: stats.Band, budget_s: float) -> Standing:
        found = stats.PairedRatio(middle, stats.Interval(middle, low, high, 0.95), band, 20, 1.0)
        return Standing("learner", (1.0,), 1, None, None, found, "ok", None, "decided", "decided")

    monkeypatch.setattr(speed, "hold_contest", hold)


DOUBLE = "def double(x):\n    return x * 2\n"


def double(x: Tensor) -> Tensor:
    return x * 2


def test_all_is_what_is_exported() -> None:
    assert all(hasattr(grading, name) for name in grading.__all__)


class TestExpectSame:
    def test_right_answer_passes_and_is_returned(self, make_answer: MakeAnswer, draw: Draw) -> None:
        x = draw.normal(3)
        assert torch.equal(grading.expect_same(make_answer(DOUBLE).double, double, x), x * 2)

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ("return x * 3", "the result of double is"),
            ("return None", "should be a tensor and is None"),
            ("return x[None] * 2", "the shape [1, 2, 3] and should have [2, 3]"),
            ("return x.double() * 2", "the dtype float64 and should have float32"),
            ("return (x * 2, x)", "should be a tensor and is a tuple"),
            ("return x.mul_(2)", "double changed its argument 'x'"),
            ("return x * torch.nan", "is nan at [0, 0]"),
        ],
    )
    def test_wrong_answers_are_told(
        self, make_answer: MakeAnswer, draw: Draw, failure_of: FailureOf, body: str, message: str
    ) -> None:
        answer = make_answer(f"def double(x):\n    {body}\n")
        failure = failure_of(lambda: grading.expect_same(answer.double, double, draw.normal(2, 3)))
        assert message in failure.message

    def test_expected_and_got_mark_the_first_difference(
        self, make_answer: MakeAnswer, draw: Draw, failure_of: FailureOf
    ) -> None:
        answer = make_answer("def double(x):\n    y = x * 2\n    y[1, 2] += 1\n    return y\n")
        failure = failure_of(lambda: grading.expect_same(answer.double, double, torch.ones(2, 3)))
        assert "at [1, 2], not 2 (1 of 6 values differ)" in failure.message
        assert failure.expected is not None
        assert failure.got is not None
        assert failure.expected.kind == failure.got.kind == "float32[2, 3]"
        assert "›3‹" in failure.got.lines[1]

    def test_difference_below_four_digits_is_shown_with_more(
        self, make_answer: MakeAnswer, failure_of: FailureOf
    ) -> None:
        answer = make_answer("def double(x):\n    return x * 2.001\n")
        failure = failure_of(lambda: grading.expect_same(answer.double, double, torch.full((1,), 1000.0)))
        assert "2001" in failure.message

    def test_cached_answer_is_named(self, make_answer: MakeAnswer, draw: Draw, failure_of: FailureOf) -> None:
        answer = make_answer("SEEN = {}\ndef double(x):\n    return SEEN.setdefault(x.shape, x * 2)\n")

        def ask() -> None:
            for x in draw.cases(lambda draw, n: draw.normal(n), [2]):
                grading.expect_same(answer.double, double, x)

        assert "the call before" in (failure_of(ask).teach or "")

    def test_cached_number_is_named_too(self, make_answer: MakeAnswer, failure_of: FailureOf) -> None:
        answer = make_answer("SEEN = []\ndef double(x):\n    SEEN.append(x * 2)\n    return SEEN[0]\n")
        grading.expect_same(answer.double, double, torch.tensor([0.3949]))
        failure = failure_of(lambda: grading.expect_same(answer.double, double, torch.tensor([0.1701])))
        assert "the call before" in (failure.teach or "")

    @pytest.mark.parametrize(("shape", "scale"), [((3,), 0.0), ((1,), 1.0), ((), 1.0)])
    def test_a_trivial_answer_is_not_called_cached(
        self, make_answer: MakeAnswer, failure_of: FailureOf, shape: tuple[int, ...], scale: float
    ) -> None:
        answer = make_answer("def double(x):\n    return x * 0\n")
        before = torch.ones(shape) * scale
        grading.expect_same(answer.double, lambda x: torch.zeros(shape), before)
        failure = failure_of(lambda: grading.expect_same(answer.double, double, torch.ones(shape)))
        assert "the call before" not in (failure.teach or "")

    def test_diagnosis_comes_before_the_general_sentence(
        self, make_answer: MakeAnswer, draw: Draw, failure_of: FailureOf
    ) -> None:
        answer = make_answer("def double(x):\n    return x + 2\n")
        known = [grading.looks_like(lambda x: x + 2, "You added."), grading.when(lambda got, expected: True, "Late.")]
        call = lambda: grading.expect_same(answer.double, double, draw.normal(2), diagnose=known, teach="General.")  # noqa: E731
        assert failure_of(call).teach == "You added."

    def test_diagnosis_that_cannot_judge_is_passed_over(
        self, make_answer: MakeAnswer, draw: Draw, failure_of: FailureOf
    ) -> None:
        answer = make_answer("def double(x):\n    return None\n")
        known = [grading.when(lambda got, expected: got.shape == (2,), "Never.")]
        call = lambda: grading.expect_same(answer.double, double, draw.normal(2), diagnose=known)  # noqa: E731
        assert failure_of(call).teach == "Does every way through the function end in a return?"

    def test_exception_is_recognised(self, make_answer: MakeAnswer, fresh_session: Session) -> None:
        answer = make_answer("def double(x):\n    return x @ x\n")
        known = [grading.looks_like(lambda x: x @ x, "That is a product.")]
        with pytest.raises(RuntimeError):
            grading.expect_same(answer.double, double, torch.ones(2, 3), diagnose=known)
        assert fresh_session.diagnosis == "That is a product."

    def test_reference_sees_a_copy_from_before(self, make_answer: MakeAnswer) -> None:
        answer = make_answer("def double(x):\n    return x * 2\n")
        x = torch.ones(2)
        grading.expect_same(answer.double, lambda x: x.mul_(2), x)
        assert torch.equal(x, torch.ones(2))


class TestExpectClose:
    @pytest.mark.parametrize(
        ("got", "expected"),
        [(1, 1), (1.0000001, 1.0), ("a", "a"), ([1, 2.0], [1, 2.0]), ({"a": torch.ones(1)}, {"a": torch.ones(1)})],
    )
    def test_equal_values_pass(self, fresh_session: Session, got: object, expected: object) -> None:
        grading.expect_close(got, expected)

    @pytest.mark.parametrize(
        ("got", "expected", "message"),
        [
            (True, 1, "is not what it should be"),
            (1.1, 1.0, "is 1.1, not 1"),
            ([1], [1, 2], "a list of 2"),
            ((1, 2), [1, 2], "a list of 2"),
            ({"b": 1}, {"a": 1}, "the keys ['a']"),
            ({"a": 2}, {"a": 1}, "the result['a']"),
            (torch.tensor([1, 2]), torch.tensor([1, 3]), "is 2 at [1], not 3"),
        ],
    )
    def test_different_values_fail(
        self, fresh_session: Session, failure_of: FailureOf, got: object, expected: object, message: str
    ) -> None:
        assert message in failure_of(lambda: grading.expect_close(got, expected)).message

    def test_tolerance_follows_the_dtype(self, fresh_session: Session, failure_of: FailureOf) -> None:
        near = 1.001
        grading.expect_close(torch.tensor(near, dtype=torch.float16), torch.tensor(1.0, dtype=torch.float16))
        failure_of(lambda: grading.expect_close(torch.tensor(near), torch.tensor(1.0)))

    def test_nan_where_nan_is_expected_passes(self, fresh_session: Session) -> None:
        grading.expect_close(torch.tensor([torch.nan, 1.0]), torch.tensor([torch.nan, 1.0]))

    @pytest.mark.parametrize(
        ("got", "expected", "sentence"),
        [
            (torch.arange(4.0).view(2, 2).mT, torch.arange(4.0).view(2, 2), "transpose"),
            (torch.arange(1.0, 5.0) * 3, torch.arange(1.0, 5.0), "3 times"),
            (torch.ones(3, 3), torch.ones(3), "N×N"),
            (torch.ones(3, 2), torch.ones(2, 3), "another order"),
        ],
    )
    def test_common_mistakes_are_explained(
        self, fresh_session: Session, failure_of: FailureOf, got: Tensor, expected: Tensor, sentence: str
    ) -> None:
        failure = failure_of(lambda: grading.expect_close(got.contiguous(), expected))
        assert sentence in (failure.teach or "")


class TestGuards:
    @pytest.mark.parametrize(
        "call",
        [
            "x.softmax(0)",
            "torch.softmax(x, 0)",
            "torch.nn.functional.softmax(x, dim=0)",
            "torch.nn.Softmax(0)(x)",
            "torch.ops.aten._softmax(x, 0, False)",
            "torch.special.softmax(x, 0)",
        ],
    )
    def test_forbidden_function_is_seen_by_every_name(
        self, make_answer: MakeAnswer, fresh_session: Session, failure_of: FailureOf, call: str
    ) -> None:
        fresh_session.forbidden = {"softmax": "Write it."}
        answer = make_answer(
            f"def f(x):\n    try:\n        return {call}\n    except BaseException:\n        return x\n"
        )
        failure = failure_of(lambda: answer.f(torch.ones(3)))
        assert "calls torch's softmax" in failure.message
        assert failure.teach == "Write it."
        assert failure.place is not None
        assert failure.place.text == f"return {call}"

    def test_missing_name_suggests_the_renamed_one(self, make_answer: MakeAnswer, failure_of: FailureOf) -> None:
        answer = make_answer("def dubble(x):\n    return x\n")
        assert "'dubble'" in (failure_of(lambda: answer.double).teach or "")

    def test_argument_changed_through_data_is_seen(self, make_answer: MakeAnswer, failure_of: FailureOf) -> None:
        answer = make_answer("def f(x):\n    x.data[0] = 7\n    return x\n")
        assert "changed its argument 'x'" in failure_of(lambda: answer.f(torch.ones(2))).message

    def test_nan_in_an_argument_is_not_a_change(self, make_answer: MakeAnswer) -> None:
        make_answer("def f(x):\n    return 1\n").f(torch.tensor([torch.nan, 1.0]))

    def test_in_place_is_allowed_where_the_check_says_so(self, make_answer: MakeAnswer) -> None:
        x = torch.ones(2)
        grading.in_place(make_answer("def f(x):\n    x.mul_(2)\n").f)(x)
        assert x.tolist() == [2, 2]

    @pytest.mark.parametrize(
        "call", ["torch.autograd.functional.hvp(f, x, x)", "functional.hvp(f, x, x)", "hvp(f, x, x)"]
    )
    def test_forbidden_plain_function_is_seen(
        self, make_answer: MakeAnswer, fresh_session: Session, failure_of: FailureOf, call: str
    ) -> None:
        fresh_session.forbidden = {"torch.autograd.functional.hvp": "Write it."}
        with stand_ins_taken_back(torch.autograd.functional):
            forbidding.prepare(fresh_session.forbidden)
            answer = make_answer(
                "from torch.autograd import functional\nfrom torch.autograd.functional import hvp\n"
                f"def f(x):\n    return x.sum()\ndef g(x):\n    return {call}\n"
            )
            failure = failure_of(lambda: answer.g(torch.ones(3)))
        assert "g calls torch's autograd.functional.hvp" in failure.message
        assert failure.teach == "Write it."
        assert failure.place is not None
        assert failure.place.text == f"return {call}"

    def test_plain_function_is_noted_only_inside_of_a_watch(self, make_answer: MakeAnswer) -> None:
        names = {"torch.autograd.functional.hvp": "Write it."}
        with stand_ins_taken_back(torch.autograd.functional):
            forbidding.prepare(names)
            answer = make_answer(
                "def ask(x):\n    return torch.autograd.functional.hvp(torch.sum, x, x, strict=False)\n"
            )
            call = grading.raw(answer.ask)
            call(torch.ones(2))
            with forbidding.watch_for(names) as found:
                assert found == {}
                call(torch.ones(2))
            assert list(found) == list(names)

    @pytest.mark.parametrize("name", ["softmax", "_softmax", "backward", "__add__", "tensor", "numpy", "einsum"])
    def test_what_dispatches_can_be_seen(self, name: str) -> None:
        assert forbidding.can_be_seen(name)

    @pytest.mark.parametrize("name", ["hvp", "autograd", "sofmax", "torch.softmax", "torch.autograd.functional.hv"])
    def test_entry_that_nobody_would_see_is_refused(self, name: str) -> None:
        with pytest.raises(ValueError, match="FORBIDDEN has"):
            forbidding.prepare({name: "Write it."})

    def test_module_shows_the_names_of_its_forward(self, make_answer: MakeAnswer, failure_of: FailureOf) -> None:
        net = make_answer(
            "class Net(torch.nn.Module):\n    def forward(self, image, scale=1):\n        return image.mul_(2)\n"
        ).Net()
        failure = failure_of(lambda: grading.guard(net)(torch.ones(2), scale=3))
        assert "changed its argument 'image'" in failure.message
        assert session.last_call is not None
        assert list(session.last_call.arguments) == ["image", "scale"]

    def test_module_that_an_answer_returned_is_guarded(
        self, make_answer: MakeAnswer, fresh_session: Session, failure_of: FailureOf
    ) -> None:
        fresh_session.forbidden = {"linear": "Write it."}
        answer = make_answer("class Net(torch.nn.Linear):\n    pass\n")
        net = answer.Net(2, 2)
        assert "linear" in failure_of(lambda: grading.guard(net)(torch.ones(1, 2))).message


class TestBudgets:
    LOOP = "def f(x):\n    return torch.stack([row.sum() for row in x])\n"

    def test_a_loop_is_seen_with_its_line(self, make_answer: MakeAnswer, draw: Draw, failure_of: FailureOf) -> None:
        answer = make_answer(self.LOOP)
        failure = failure_of(lambda: grading.expect_same_ops(answer.f, (draw.normal(4, 2),), (draw.normal(8, 2),)))
        assert "ops on the smaller input" in failure.message
        assert failure.place is not None
        assert "for row in x" in failure.place.text

    def test_one_op_passes_and_a_limit_holds(self, make_answer: MakeAnswer, draw: Draw, failure_of: FailureOf) -> None:
        answer = make_answer("def f(x):\n    return x.exp().sum(1)\n")
        small, large = (draw.normal(4, 2),), (draw.normal(8, 2),)
        grading.expect_same_ops(answer.f, small, large, at_most=2)
        assert session.evidence == "2 ops at every size"
        assert "1 are enough" in failure_of(lambda: grading.expect_same_ops(answer.f, small, large, at_most=1)).message

    def test_peak_counts_what_lives_at_one_time(self, make_answer: MakeAnswer, failure_of: FailureOf) -> None:
        x = torch.ones(256)
        answer = make_answer("def f(x):\n    for _ in range(5):\n        x = x + 1\n    return x\n")
        seen = grading.watch_call(answer.f, x)
        assert seen.peak_bytes == 2 * 1024
        assert seen.live_bytes == 0
        failure = failure_of(lambda: grading.expect_peak_memory(answer.f, x, at_most_bytes=1024))
        assert "holds 2 KiB at its peak; the budget is 1 KiB" in failure.message

    def test_views_and_arguments_cost_nothing(self, make_answer: MakeAnswer) -> None:
        answer = make_answer("def f(x):\n    return x.view(4, 4).mT[1:].unfold(0, 2, 1)\n")
        assert grading.watch_call(answer.f, torch.ones(16)).peak_bytes == 0

    @pytest.mark.parametrize(
        "body", ["x.sum().item()", "x.tolist()", "bool(x.sum() > 1)", "x[x > 0]", "x.nonzero()", "x.numpy()", "x.cpu()"]
    )
    def test_waits_are_seen(self, make_answer: MakeAnswer, failure_of: FailureOf, body: str) -> None:
        answer = make_answer(f"def f(x):\n    return {body}\n")
        failure = failure_of(lambda: grading.expect_no_waits(answer.f, torch.ones(3)))
        assert failure.place is not None
        assert body in failure.place.text

    def test_no_wait_passes(self, make_answer: MakeAnswer) -> None:
        grading.expect_no_waits(make_answer("def f(x):\n    return x.sum()\n").f, torch.ones(3))

    def test_view_and_copy_are_told_apart(self, fresh_session: Session, failure_of: FailureOf) -> None:
        x = torch.ones(4)
        grading.expect_view(x[1:], x)
        assert "is a copy" in failure_of(lambda: grading.expect_view(x.clone(), x)).message


class TestGradients:
    CUBE = "def cube(x):\n    return x * x * x\n"

    def test_right_gradient_passes(self, make_answer: MakeAnswer, draw: Draw) -> None:
        grading.expect_same_gradients(make_answer(self.CUBE).cube, lambda x: x**3, draw.normal(4))

    @pytest.mark.parametrize(
        ("body", "message"),
        [
            ("return x.detach() ** 3", "has no gradient"),
            ("return x * x * x.detach()", "the gradient of cube in its argument 1"),
            ("return (x ** 3)[None]", "the shape"),
        ],
    )
    def test_wrong_gradient_fails(
        self, make_answer: MakeAnswer, draw: Draw, failure_of: FailureOf, body: str, message: str
    ) -> None:
        answer = make_answer(f"def cube(x):\n    {body}\n")
        failure = failure_of(lambda: grading.expect_same_gradients(answer.cube, lambda x: x**3, draw.normal(4)))
        assert message in failure.message

    def test_backward_must_leave_what_it_is_given(
        self, make_answer: MakeAnswer, draw: Draw, failure_of: FailureOf
    ) -> None:
        answer = make_answer(
            "import torch\n"
            "class Double(torch.autograd.Function):\n"
            "    @staticmethod\n"
            "    def forward(ctx, x):\n"
            "        return x * 2\n"
            "    @staticmethod\n"
            "    def backward(ctx, gradient):\n"
            "        return gradient.mul_(2)\n"
            "def double(x):\n"
            "    return Double.apply(x)\n"
        )
        failure = failure_of(lambda: grading.expect_same_gradients(answer.double, lambda x: x * 2, draw.normal(4)))
        assert "changed the gradient that it was given" in failure.message

    def test_another_call_may_come_before_the_backward_pass(
        self, make_answer: MakeAnswer, draw: Draw, failure_of: FailureOf
    ) -> None:
        answer = make_answer(
            "import torch\n"
            "class Square(torch.autograd.Function):\n"
            "    @staticmethod\n"
            "    def forward(ctx, x):\n"
            "        Square.kept = x\n"
            "        return x * x\n"
            "    @staticmethod\n"
            "    def backward(ctx, gradient):\n"
            "        return gradient * 2 * Square.kept\n"
            "def square(x):\n"
            "    return Square.apply(x)\n"
        )
        failure = failure_of(lambda: grading.expect_same_gradients(answer.square, lambda x: x * x, draw.normal(4)))
        assert "after another call" in failure.message

    def test_argument_that_is_not_used_is_named(
        self, make_answer: MakeAnswer, draw: Draw, failure_of: FailureOf
    ) -> None:
        answer = make_answer("def add(a, b):\n    return a * 1\n")
        call = lambda: grading.expect_same_gradients(answer.add, torch.add, draw.normal(2), draw.normal(2))  # noqa: E731
        assert "its argument 2 is missing" in failure_of(call).message

    def test_no_gradient_passes_where_it_would_be_zero(
        self, make_answer: MakeAnswer, draw: Draw, failure_of: FailureOf
    ) -> None:
        answer = make_answer("def first(a, b):\n    return a * 1\ndef none(a, b):\n    return a.detach()\n")
        pair = draw.normal(2), draw.normal(2)
        grading.expect_same_gradients(answer.first, lambda a, b: a + b * 0, *pair)
        call = lambda: grading.expect_same_gradients(answer.none, lambda a, b: a * 0 + b * 0, *pair)  # noqa: E731
        assert "has no gradient" in failure_of(call).message

    def test_gradcheck(self, make_answer: MakeAnswer, draw: Draw, failure_of: FailureOf) -> None:
        grading.expect_gradcheck(make_answer(self.CUBE).cube, draw.normal(3))
        half = make_answer("def half(x):\n    return x * x.detach()\n")
        assert "finite differences" in failure_of(lambda: grading.expect_gradcheck(half.half, draw.normal(3))).message


class TestDraw:
    def test_the_same_seed_gives_the_same_values(self) -> None:
        one, other = (Draw(3, torch.device("cpu")).normal(4) for _ in range(2))
        assert torch.equal(one, other)

    def test_cases_come_in_every_dtype_and_layout(self, draw: Draw) -> None:
        dtypes = (torch.float32, torch.float64)
        layouts: tuple[Layout, ...] = ("contiguous", "strided", "transposed")
        cases = list(draw.cases(lambda draw, n: draw.normal(n, n), [3, 4], dtypes=dtypes, layouts=layouts))
        # Three layouts of each size, and the first of them once more with other values.
        assert [(len(case), case.is_contiguous()) for case in cases[:4]] == [
            (3, True),
            (3, True),
            (3, False),
            (3, False),
        ]
        assert len(cases) == 8
        assert not torch.equal(cases[0], cases[1])
        assert {(case.dtype, case.is_contiguous()) for case in cases} == {
            (dtype, contiguous) for dtype in dtypes for contiguous in (True, False)
        }

    def test_repeats_are_for_every_dtype_and_layout(self, draw: Draw) -> None:
        dtypes = (torch.float32, torch.float64)
        layouts: tuple[Layout, ...] = ("contiguous", "strided")
        assert len(list(draw.cases(lambda d, n: d.normal(n), [1, 2], dtypes=dtypes, layouts=layouts, repeats=3))) == 12

    @pytest.mark.parametrize("sizes", [1, 2, 3, 5])
    def test_each_dtype_meets_each_layout(self, sizes: int) -> None:
        dtypes = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
        layouts: tuple[Layout, ...] = ("contiguous", "strided", "transposed")
        for few in (dtypes, dtypes[:2], dtypes[:1]):
            for some in (layouts, layouts[:2], layouts[:1]):
                met = [pair_up(few, some, number, sizes) for number in range(sizes)]
                assert {pair for one in met for pair in one} == {(dtype, layout) for dtype in few for layout in some}
                assert all({dtype for dtype, _ in one} == set(few) for one in met)
                assert all({layout for _, layout in one} == set(some) for one in met)

    def test_layouts_keep_the_values(self, draw: Draw) -> None:
        values = torch.arange(6.0).view(2, 3)
        layouts: tuple[Layout, ...] = ("contiguous", "strided", "transposed")
        for layout in layouts:
            draw.layout = layout
            assert torch.equal(draw.place(values), values)

    def test_other_kinds(self, draw: Draw) -> None:
        assert set(draw.integers(50, low=2, high=4).tolist()) == {2, 3}
        assert draw.mask(9).dtype == torch.bool
        assert sorted(draw.permutation(5).tolist()) == [0, 1, 2, 3, 4]
        assert draw.integer(3, 3) == 3
        assert 0.0 <= draw.uniform(1).item() <= 1.0


class TestErrors:
    def explain(self, make_answer: MakeAnswer, body: str, teach: str | None) -> str | None:
        answer = make_answer(f"def f(x):\n    {body}\n")
        try:
            answer.f(torch.ones(2, 3))
        except Exception as error:
            return explain_exception(error, teach).teach
        return None

    def test_both_sentences_are_shown(self, make_answer: MakeAnswer) -> None:
        taught = self.explain(make_answer, "return x @ x", "The task asks for the outer product.")
        assert taught is not None
        assert taught.startswith("A matrix product needs (n×k) @ (k×m)")
        assert taught.endswith("The task asks for the outer product.")

    def test_the_sentence_of_the_comparison_comes_before_that_of_the_check(
        self, make_answer: MakeAnswer, fresh_session: Session
    ) -> None:
        fresh_session.teach = "Of the comparison."
        taught = self.explain(make_answer, "return x @ x", "Of the check.")
        assert taught is not None
        assert taught.endswith("Of the comparison.")

    def test_a_recognised_mistake_stands_alone(self, make_answer: MakeAnswer, fresh_session: Session) -> None:
        fresh_session.diagnosis = "That is a product."
        assert self.explain(make_answer, "return x @ x", "General.") == "That is a product."

    def test_an_unknown_error_has_the_sentence_of_the_check(self, make_answer: MakeAnswer) -> None:
        assert self.explain(make_answer, "raise KeyError(1)", "General.") == "General."


class TestTheRest:
    def test_expect_raises(self, fresh_session: Session, failure_of: FailureOf) -> None:
        def refuse() -> None:
            raise ValueError("no such device")

        grading.expect_raises(ValueError, refuse, mentioning="Device")
        assert (
            "does not mention"
            in failure_of(lambda: grading.expect_raises(ValueError, refuse, mentioning="cuda")).message
        )
        assert "returned instead" in failure_of(lambda: grading.expect_raises(ValueError, lambda: None)).message

    def test_reaching(self, fresh_session: Session, failure_of: FailureOf) -> None:
        grading.expect_reaches("the accuracy", torch.tensor(0.95), at_least=0.9)
        assert "should reach 0.9" in failure_of(lambda: grading.expect_reaches("it", 0.5, at_least=0.9)).message
        assert "come down to 1" in failure_of(lambda: grading.expect_reaches("it", 2.0, at_most=1.0)).message
        assert "not a finite" in failure_of(lambda: grading.expect_reaches("it", torch.nan, at_most=1.0)).message

    def test_pictures_are_png(self, fresh_session: Session, failure_of: FailureOf) -> None:
        grading.save_picture("grey", torch.rand(4, 6))
        grading.save_picture("colour", torch.randint(0, 256, (3, 300, 300), dtype=torch.uint8))
        assert [picture.png[:4] for picture in fresh_session.pictures] == [b"\x89PNG"] * 2
        assert "(H, W)" in failure_of(lambda: grading.save_picture("bad", torch.ones(2, 2, 2))).message

    @pytest.mark.parametrize(
        ("ratios", "message"),
        [
            ((0.9, 1.0, 1.1), None),
            ((1.4, 1.6, 1.8), None),
            ((1.6, 2.0, 2.4), "takes 2.00×"),
            ((0.01, 0.02, 0.03), "too fast"),
        ],
    )
    def test_fast_is_refused_only_beyond_doubt(
        self,
        make_answer: MakeAnswer,
        failure_of: FailureOf,
        monkeypatch: pytest.MonkeyPatch,
        ratios: tuple[float, float, float],
        message: str | None,
    ) -> None:
        time_as(monkeypatch, *ratios)
        answer = make_answer(DOUBLE)

        def call() -> None:
            grading.expect_fast(answer.double, double, [(torch.ones(2),)])

        if message is None:
            call()
            assert session.evidence is not None
        else:
            assert message in failure_of(call).message

    def test_fast_compares_once_more(
        self, make_answer: MakeAnswer, failure_of: FailureOf, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        time_as(monkeypatch, 0.9, 1.0, 1.1)
        answer = make_answer("def double(x):\n    return x * 2.5\n")
        call = lambda: grading.expect_fast(answer.double, double, [(torch.ones(2),)])  # noqa: E731
        assert "after timing" in failure_of(call).message

    @pytest.mark.parametrize(
        ("mine_s", "verdict"), [(0.1, "faster"), (1.0, "same"), (1.4, "same"), (1.6, "slower"), (90.0, "slower")]
    )
    def test_fast_is_a_contest_that_slowness_does_not_escape(
        self, monkeypatch: pytest.MonkeyPatch, mine_s: float, verdict: str
    ) -> None:
        clock = WorkClock()
        monkeypatch.setattr(speed, "Contest", partial(Contest, now=clock))
        found = speed.hold_contest(clock.work(1.0, 0.01), clock.work(mine_s, 0.01), stats.Band(0.2, 1.5), 0.6)
        assert found.verdict == verdict, "though no round fits into the seconds"
        assert len(found.samples) == 8

    def test_fast_measures_for_real(self, make_answer: MakeAnswer) -> None:
        answer = make_answer(DOUBLE)
        grading.expect_fast(answer.double, double, [(torch.ones(2),)], ratio=1e6, floor=0.0, budget_s=0.05)
        assert "× the reference's time" in (session.evidence or "")

    def test_checks_are_sorted_by_mark(self) -> None:
        import types

        module = types.ModuleType("grade")

        @grading.check("fast")
        def quick(answer: Answer, draw: Draw) -> None: ...

        @grading.check("solved", teach="Think.")
        def right(answer: Answer, draw: Draw) -> None: ...

        vars(module).update(quick=quick, right=right)
        assert [check.name for check in checks_of(module)] == ["right", "quick"]

    def test_skip_and_note(self, fresh_session: Session) -> None:
        grading.note("3 transfers")
        assert fresh_session.evidence == "3 transfers"
        with pytest.raises(Skipped, match="two devices"):
            grading.skip("needs two devices")
