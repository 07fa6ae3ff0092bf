"""Right outputs in odd styles, wrong ones of every kind, and models that no device can be blamed for."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.correctness import Judgement, Reference, own_dtype
from torchstone.correctness.yardstick import Yardstick
from torchstone.models.inputs import Inputs, move_inputs


def rows_of(count: int = 4, width: int = 16) -> Tensor:
    return torch.randn(count, width, generator=torch.Generator().manual_seed(3))


def inputs(*args: Tensor) -> Inputs:
    return Inputs(args or (rows_of(),), {})


class Wrapped(nn.Module):
    """A layer whose output is put into some container."""

    def __init__(self, wrap: Callable[[Tensor], Any]) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer = nn.Linear(16, 64)
        self.wrap = wrap

    def forward(self, x: Tensor) -> Any:
        return self.wrap(self.layer(x))


class Pair(NamedTuple):
    logits: Tensor
    number: int


@dataclass
class Boxes:
    boxes: Tensor
    labels: Tensor | None
    name: str


class Cache:
    """A class of somebody's own with tensors in it, and settings."""

    def __init__(self, keys: Tensor) -> None:
        self.layers = [{"keys": keys}]
        self.device = keys.device
        self.kind = object()


STYLES: dict[str, Callable[[Tensor], Any]] = {
    "tensor": lambda y: y,
    "tuple": lambda y: (y, y * 2),
    "list in dict": lambda y: {"a": [y, {"b": y.sum(1)}]},
    "named tuple": lambda y: Pair(y, 3),
    "dataclass with None": lambda y: Boxes(y, None, "boxes"),
    "own class": lambda y: Cache(y),
    "integers": lambda y: (y, y.argmax(-1)),
    "integers alone": lambda y: y.argmax(-1),
    "booleans": lambda y: y > 0,
    "complex": lambda y: torch.fft.fft(y),
    "sparse": lambda y: y.relu().to_sparse(),
    "sparse rows": lambda y: y.relu().to_sparse_csr(),
    "nested": lambda y: torch.nested.nested_tensor([y[0], y[1, :5]]),
    "infinite mask": lambda y: y.masked_fill(torch.arange(64) > 60, float("-inf")),
    "NaN in its place": lambda y: torch.where(torch.arange(64) > 60, torch.nan, y),
    "a number": lambda y: y.mean().item(),
    "empty": lambda y: (y, y[:0]),
    "half inside": lambda y: y.half(),
    "float inside": lambda y: y.float(),
    "scalar": lambda y: y.sum(),
    "zeros": lambda y: torch.cat([y, torch.zeros_like(y)], 1),
    "a string": lambda y: {"y": y, "kind": "logits"},
}


def ignoring_warnings(function: Callable[[], Any]) -> Any:
    import warnings

    with warnings.catch_warnings():  # torch's own, that sparse rows and nested tensors are new
        warnings.simplefilter("ignore")
        return function()


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_right_outputs_in_any_style_are_ok(style: str, dtype: str) -> None:
    model = Wrapped(STYLES[style]).eval()
    reference = ignoring_warnings(lambda: Reference(model, inputs()))
    judge = reference.judge(dtype)
    wide = getattr(torch, dtype)
    output = ignoring_warnings(lambda: copy.deepcopy(model).to(wide)(rows_of().to(wide)))
    found: Judgement = ignoring_warnings(lambda: judge.check(output))
    assert found.verdict == "ok", found


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_model_of_a_narrow_dtype_is_judged_in_its_own(dtype: str) -> None:
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(16, 256), nn.GELU(), nn.LayerNorm(256), nn.Linear(256, 64)).to(
        getattr(torch, dtype)
    )
    given = move_inputs(inputs(), "cpu", getattr(torch, dtype))
    assert own_dtype(model, given) == dtype
    reference = Reference(model, given)
    assert reference.dtype == dtype
    assert reference.source == "CPU float64"
    found = reference.judge().check(model(*given.args))
    assert found.verdict == "ok", found
    assert found.worst_error is not None
    assert 0 < found.worst_error < 0.1
    narrower_than_tf32 = dtype == "bfloat16"
    as_float32 = reference.judge("float32").check(model(*given.args).float())
    assert (as_float32.verdict == "wrong") == narrower_than_tf32


WRONG: dict[str, tuple[Callable[[Tensor], Any], str]] = {
    "zeros": (torch.zeros_like, "differs"),
    "flipped sign": (lambda y: -y, "differs"),
    "one percent": (lambda y: y * 1.01, "differs"),
    "one value": (lambda y: y.index_put((torch.tensor(2), torch.tensor(5)), torch.tensor(9.0)), "output[2, 5]"),
    "a row of another": (lambda y: y.roll(1, 0), "differs"),
    "a constant": (lambda y: y + 0.05, "differs"),
    "NaN": (lambda y: y.where(torch.arange(64) != 7, torch.nan), "not finite"),
    "infinity": (lambda y: y.where(torch.arange(64) != 7, torch.inf), "not finite"),
    "shape": (lambda y: y[:, :63], "gives shape (4, 63) where the CPU gives (4, 64)"),
    "transposed": (lambda y: y.t(), "gives shape (64, 4)"),
    "narrow": (lambda y: y.half(), "gives float16 where the CPU gives float32"),
    "integers": (lambda y: y.round().long(), "gives int64 where the CPU gives float"),
    "one more": (lambda y: (y, y), "gives output[0] and output[1] where the CPU gives output"),
    "nothing": (lambda y: None, "gives exact where the CPU gives float"),
}


@pytest.mark.parametrize("spoil", WRONG)
def test_wrong_outputs_are_wrong_and_say_how(spoil: str) -> None:
    model = Wrapped(STYLES["tensor"])
    function, word = WRONG[spoil]
    found = Reference(model, inputs()).judge().check(function(model(rows_of())))
    assert found.verdict == "wrong"
    assert word in (found.reason or ""), found


def test_every_value_of_a_container_counts() -> None:
    model = Wrapped(STYLES["list in dict"])
    output = model(rows_of())
    output["a"][1]["b"] = output["a"][1]["b"] * 1.1
    found = Reference(model, inputs()).judge().check(output)
    assert found.verdict == "wrong"
    assert "output['a'][1]['b']" in str(found.where)
    del output["a"][1]["b"]
    assert "gives no output['a'][1]['b']" in str(Reference(model, inputs()).judge().check(output).reason)


@pytest.mark.parametrize("style", ["integers", "booleans", "complex", "sparse", "a string", "named tuple"])
def test_what_is_no_float_is_compared_too(style: str) -> None:
    model = Wrapped(STYLES[style])
    judge = Reference(model, inputs()).judge()
    output = model(rows_of())
    spoilt: dict[str, Callable[[], Any]] = {
        "integers": lambda: (output[0], output[1].index_fill(0, torch.tensor([2]), 63)),
        "booleans": lambda: output ^ (torch.arange(64) == 3),
        "complex": lambda: output.conj().resolve_conj(),
        "sparse": lambda: output * 1.1,
        "a string": lambda: {**output, "kind": "scores"},
        "named tuple": lambda: output._replace(number=4),
    }
    assert judge.check(output).verdict == "ok"
    assert judge.check(spoilt[style]()).verdict == "wrong"


class Yolo(nn.Module):
    """Boxes of up to 640 pixels and scores of 0 to 1 in one tensor."""

    def __init__(self, axis: int) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.boxes, self.scores, self.axis = nn.Linear(16, 4), nn.Linear(16, 80), axis

    def forward(self, x: Tensor) -> Tensor:
        found = torch.cat([self.boxes(x).sigmoid() * 640, (self.scores(x) - 4).sigmoid()], -1)
        return found if self.axis == -1 else found.transpose(1, 2)


@pytest.mark.parametrize("axis", [-1, 1])
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_scores_beside_boxes_are_judged_on_their_own_scale(axis: int, dtype: str) -> None:
    model = Yolo(axis)
    given = inputs(torch.randn(2, 100, 16, generator=torch.Generator().manual_seed(1)))
    judge = Reference(model, given).judge(dtype)
    narrow = getattr(torch, dtype)
    output = copy.deepcopy(model).to(narrow)(given.args[0].to(narrow))
    assert judge.check(output).verdict == "ok", judge.check(output)
    scores = output[..., 4:] if axis == -1 else output[:, 4:]
    scores.copy_(torch.rand(scores.shape))
    assert judge.check(output).verdict == "wrong"


class Cancelling(nn.Module):
    """Differences of large numbers: in bfloat16 nothing is left of them."""

    def forward(self, x: Tensor) -> Tensor:
        return (x + 1000.0) - 1000.0


def test_beyond_the_ceiling_nothing_is_ok() -> None:
    reference = Reference(Cancelling(), inputs(rows_of(8, 64)))
    judge = reference.judge("bfloat16")
    for output in (torch.zeros(8, 64), -rows_of(8, 64), rows_of(8, 64)):
        found = judge.check(output.bfloat16())
        assert found.verdict == "unverified"
        assert "too large a part" in (found.reason or "")
    assert judge(torch.zeros(8, 64).bfloat16()) is None
    assert judge.facts()["verdict"] == "unverified"
    assert reference.judge("float32").check(rows_of(8, 64)).verdict == "ok"


def test_values_that_a_dtype_cannot_hold_are_wrong_and_the_dtype_is_named() -> None:
    class Large(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x * 1e4 * 1e4

    found = Reference(Large(), inputs()).judge("float16").check(rows_of() * torch.inf)
    assert found.verdict == "wrong"
    assert "float16 can't hold its values, on the CPU neither" in str(found.reason)


class Counter(nn.Module):
    calls: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return x + self.calls


class Attribute(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.steps = 0

    def forward(self, x: Tensor) -> Tensor:
        self.steps += 1
        return x * self.steps


class InPlace(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.mul_(2)


class Harmless(nn.Module):
    """Counts, but does not say so; writes into its input, but always the same."""

    calls: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return x.clamp_(-1, 1) + 1


class Clock(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + id(object()) % 97 + torch.tensor([next(NUMBERS)], dtype=x.dtype)


NUMBERS = iter(range(10**6))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Counter(), "keeps a state (calls)"),
        (Attribute(), "keeps a state (steps)"),
        (InPlace(), "changes args[0] in place"),
        (nn.Sequential(nn.Linear(16, 8), nn.Dropout()).train(), "dropout that is switched on in 1"),
        (Wrapped(lambda y: functional.dropout(y)), "is random ("),
        (Wrapped(lambda y: y + torch.randn_like(y)), "is random (randn_like"),
        (Clock(), "even from the same seed"),
        (Wrapped(lambda y: y * torch.nan), "NaN on the CPU float64 already"),
    ],
    ids=["buffer", "attribute", "in place", "dropout", "functional dropout", "noise", "clock", "nan"],
)
def test_what_no_device_is_to_blame_for_is_named(model: nn.Module, words: str) -> None:
    before = copy.deepcopy(model.state_dict())
    given = inputs()
    reference = Reference(model, given)
    assert words in (reference.unverifiable or ""), reference.unverifiable
    judge = reference.judge()
    assert judge.check(rows_of()).verdict == "unverified"
    assert judge(rows_of()) is None
    assert judge.facts() == {"verdict": "unverified", "unverified": reference.unverifiable}
    assert torch.equal(given.args[0], rows_of()), "the inputs are left alone"
    assert all(torch.equal(value, model.state_dict()[name]) for name, value in before.items())


def test_side_effects_without_effect_are_remarks() -> None:
    reference = Reference(Harmless(), inputs())
    assert reference.unverifiable is None
    assert reference.remarks == ["it changes args[0] in place", "it changes its own calls at every call"]
    assert reference.judge().check(rows_of().clamp(-1, 1) + 1).verdict == "ok"


def test_a_device_that_writes_into_its_input_is_wrong() -> None:
    model = Wrapped(STYLES["tensor"])
    judge = Reference(model, inputs()).judge()
    x = rows_of()
    assert judge.check(model(x), inputs=((x,), {})).verdict == "ok"
    output = model(x)
    x += 1
    found = judge.check(output, inputs=((x,), {}))
    assert found.verdict == "wrong"
    assert found.reason == "it changed args[0] in place, which the CPU leaves alone"


class OnlyIn(nn.Module):
    """Works in one dtype only."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.weight = nn.Parameter(torch.randn(16, 64, dtype=dtype))
        self.only = dtype

    def forward(self, x: Tensor) -> Tensor:
        if x.dtype is not self.only:
            raise TypeError(f"only {self.only}")
        return x @ self.weight


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_a_model_of_one_dtype_is_judged_against_itself(dtype: str) -> None:
    only = getattr(torch, dtype)
    model, given = OnlyIn(only), move_inputs(inputs(), "cpu", only)
    reference = Reference(model, given)
    assert reference.dtype == dtype
    assert reference.source.startswith(f"CPU {dtype}")
    assert ("because in float64: TypeError: only" in reference.source) == (dtype != "float64")
    output = model(*given.args)
    assert reference.judge().check(output).verdict == "ok"
    assert reference.judge().check(output * 1.1).verdict == "wrong"


def test_a_model_that_refuses_to_be_copied_is_called_itself() -> None:
    class Unique(Wrapped):
        def __deepcopy__(self, memo: Any) -> Any:
            raise RuntimeError("there is only one of me")

    model = Unique(STYLES["tensor"])
    reference = Reference(model, inputs())
    assert "there is only one of me" in reference.source
    assert reference.judge().check(model(rows_of())).verdict == "ok"
    assert reference.judge().check(model(rows_of()) * 1.1).verdict == "wrong"


def test_rows_of_a_repeated_batch_and_values_without_a_batch() -> None:
    model = Wrapped(lambda y: (y, y.argmax(-1), y.new_ones(3)))
    reference = Reference(model, inputs(rows_of(2)))
    rows = tuple(row % 2 for row in range(7))
    judge = reference.judge(rows=rows)
    batch = model(rows_of(2)[list(rows)])
    assert judge.check(batch).verdict == "ok"
    spoilt = (batch[0], batch[1].index_fill(0, torch.tensor([6]), 5), batch[2])
    assert judge.check(spoilt).verdict == "wrong"
    assert "gives shape (6, 64)" in str(judge.check((batch[0][:6], *batch[1:])).reason)


def test_autocast_may_give_what_is_narrower() -> None:
    model = Wrapped(STYLES["tensor"])
    reference = Reference(model, inputs())
    output = model(rows_of()).bfloat16()
    assert reference.judge("bfloat16", autocast=True).check(output).verdict == "ok"
    assert reference.judge("bfloat16").check(output).verdict == "ok"
    assert reference.judge("bfloat16").check(output.float()).verdict == "ok", "wider is no loss"
    assert reference.judge("float32", autocast=True).check(model(rows_of()).half()).verdict == "ok"


def test_near_ties_may_fall_as_many_ways_as_on_the_cpu() -> None:
    """Pixels that are rounded to integers: the CPU's own bfloat16 differs in some of them, by one."""

    class Pixels(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return (x.sigmoid() * 20).round().to(torch.uint8)

    given = inputs(rows_of(32, 64))
    reference = Reference(Pixels(), given)
    narrow = Pixels()(given.args[0].bfloat16())
    assert (narrow != Pixels()(given.args[0])).any(), "else this tests nothing"
    assert reference.judge("bfloat16").check(narrow).verdict == "ok"
    assert reference.judge("float32").check(narrow).verdict == "wrong"
    assert reference.judge("bfloat16").check(narrow + 2).verdict == "wrong"


@pytest.mark.parametrize("nothing", [None, "done", {"loss": None}])
def test_a_model_that_returns_no_numbers_is_unverified(nothing: Any) -> None:
    reference = Reference(Wrapped(lambda _: nothing), inputs())
    assert "nothing that can be compared" in (reference.unverifiable or "")
    assert reference.judge().check(nothing).verdict == "unverified"


def test_an_output_that_holds_nothing_is_unverified_and_not_ok() -> None:
    found = Reference(Wrapped(lambda y: object()), inputs()).judge().check(object())
    assert found.verdict == "unverified"
    assert "nothing that can be compared" in (found.reason or "")


def test_a_tensor_that_cannot_be_read_is_unverified() -> None:
    model = Wrapped(STYLES["tensor"])
    found = Reference(model, inputs()).judge().check(torch.empty(4, 64, device="meta"))
    assert found.verdict == "unverified"
    assert "can't be read back" in (found.reason or "")


def test_before_the_first_look_nothing_is_verified() -> None:
    judge = Reference(Wrapped(STYLES["tensor"]), inputs()).judge()
    assert judge.judgement().verdict == "unverified"
    assert judge.facts() == {}


class TestYardstick:
    def test_each_slice_has_its_own_scale(self) -> None:
        exact = torch.ones(4, 64, dtype=torch.float64)
        exact[:2] *= 1000
        stick = Yardstick(exact, 0.0, "float32")
        got = exact.clone()
        got[3, 5] += 0.01
        error = stick.compare(got)
        assert error is not None
        assert error.place == (3, 5)
        assert error.share == pytest.approx(0.01 * 2**8)

    def test_a_slice_of_zeros_need_not_be_exactly_zero(self) -> None:
        exact = torch.ones(4, 64, dtype=torch.float64)
        exact[1] = 0
        stick = Yardstick(exact, 0.0, "float32")
        almost = exact + 1e-8
        assert (stick.compare(almost) or pytest.fail("nothing compared")).share < 1
        assert (stick.compare(exact + 1e-3 * (exact == 0)) or pytest.fail("nothing compared")).share > 1

    def test_a_wrong_scale_hides_in_no_dtype(self) -> None:
        exact = torch.randn(64, 64, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
        stick = Yardstick(exact, exact.bfloat16().double(), "bfloat16")
        assert (stick.compare(exact.bfloat16().double()) or pytest.fail("nothing")).share < 1
        assert (stick.compare(exact * 1.05) or pytest.fail("nothing")).share > 1, "below every single tolerance"
