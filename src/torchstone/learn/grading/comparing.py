"""Right or wrong: strict in structure, shape, dtype and device, close in value, and clear about where it differs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import torch
from torch.utils._pytree import tree_leaves

from torchstone.learn.grading.answers import guard
from torchstone.learn.grading.checks import Failed
from torchstone.learn.grading.hooks import unheard
from torchstone.learn.grading.keeping import clone, same_values
from torchstone.learn.grading.mistakes import explain_difference
from torchstone.learn.grading.session import session
from torchstone.learn.grading.showing import digits_to_tell, dtype_name, kind_of, number, show
from torchstone.learn.verdicts import Failure, Shown

# Taken now: the learner's file is imported later and may replace them.
isclose = torch.isclose
is_tensor = torch.is_tensor

TOLERANCES: Mapping[torch.dtype, tuple[float, float]] = {
    torch.float64: (1e-8, 1e-9),
    torch.complex128: (1e-8, 1e-9),
    torch.float32: (1e-4, 1e-5),
    torch.complex64: (1e-4, 1e-5),
    torch.float16: (1e-2, 1e-3),
    torch.bfloat16: (2e-2, 1e-2),
}
"""Relative and absolute, by dtype: a few roundings of sums over some hundred terms; a wrong formula is far beyond."""
Reference = Callable[..., Any]
CACHED = "That is the answer to the call before: new numbers of the same shape are a new question."
CPU = torch.device("cpu")


@dataclass(frozen=True)
class Diagnosis:
    """A mistake that can be recognised, and the sentence that teaches about it."""

    recognises: "Callable[[_Question, tuple[Any, ...]], bool]"
    """Called with the comparison that failed (what came out, what was expected, how strictly) and the arguments."""
    teach: str
    wrong: Reference | None = None
    """A wrong reference; where it raises, its exception is recognised too."""


def looks_like(wrong: Reference, teach: str) -> Diagnosis:
    """Recognise the results, or the exception, of a wrong reference called with the same arguments."""
    return Diagnosis(lambda ask, args: _equals_wrong(wrong, ask, args), teach, wrong)


def _cached(before: Any) -> Diagnosis:
    return Diagnosis(lambda ask, args: _is_telling(before) and _equals_wrong(lambda: before, ask, ()), CACHED)


def _is_telling(value: Any) -> bool:
    """Whether giving this again can be no accident. All zeros, or a single 1, an answer hits without a cache too."""
    tensors = [leaf for leaf in tree_leaves(value) if is_tensor(leaf) and leaf.numel()]
    return any(_is_varied(tensor.reshape(-1)) or _is_uncommon(tensor.reshape(-1)[0]) for tensor in tensors)


def _is_varied(numbers: torch.Tensor) -> bool:
    return bool((numbers != numbers[0]).any())


def _is_uncommon(one: torch.Tensor) -> bool:
    """No whole number, half or quarter, as formulas give for any input."""
    return one.is_floating_point() and bool(one.isfinite()) and (one.item() * 4) % 1 != 0


def when(predicate: Callable[[Any, Any], bool], teach: str) -> Diagnosis:
    """Recognise by `predicate(got, expected)`."""
    return Diagnosis(lambda ask, args: bool(predicate(ask.got, ask.expected)), teach)


def expect_same(
    function: Any,
    reference: Reference,
    *args: Any,
    teach: str | None = None,
    diagnose: Sequence[Diagnosis] = (),
    rtol: float | None = None,
    atol: float | None = None,
    **kwargs: Any,
) -> Any:
    """The learner's function must return what the reference does; returns what it returned.

    The reference works on copies, on the CPU, before the learner's code is called.
    """
    with unheard():
        copied_args, copied_kwargs = clone((args, kwargs), CPU)
        kept = clone(copied_args) if diagnose else ()
    expected = reference(*copied_args, **copied_kwargs)
    try:
        got = guard(function)(*args, **kwargs)
    except Exception as error:  # passed on; only recognised here
        session.diagnosis, session.teach = _recognise_error(error, diagnose, kept), teach
        raise
    on = session.device if is_tensor(expected) or isinstance(expected, (list, tuple, dict)) else None
    expect_close(
        got,
        expected,
        what=f"the result of {guard(function).__name__}",
        device=on,
        teach=teach,
        diagnose=(*diagnose, _cached(session.last_expected)),
        rtol=rtol,
        atol=atol,
        args=kept,
    )
    session.last_expected = expected
    return got


def expect_close(
    got: Any,
    expected: Any,
    *,
    what: str = "the result",
    device: torch.device | None = None,
    teach: str | None = None,
    diagnose: Sequence[Diagnosis] = (),
    rtol: float | None = None,
    atol: float | None = None,
    args: tuple[Any, ...] = (),
) -> None:
    """Compare two values: tensors, numbers, and lists, tuples and dictionaries of them."""
    ask = _Question(what, device, teach, tuple(diagnose), rtol, atol, got, expected, args)
    with unheard():
        _compare(got, expected, what, ask)


@dataclass(frozen=True)
class _Question:
    """One comparison: how strict it is, and what is known to go wrong with it."""

    what: str
    device: torch.device | None
    teach: str | None
    diagnose: tuple[Diagnosis, ...]
    rtol: float | None
    atol: float | None
    got: Any
    expected: Any
    args: tuple[Any, ...]

    def fail(self, message: str, expected: Shown, got: Shown, fallback: str | None) -> NoReturn:
        """Raise with the most special sentence there is: a diagnosis, the author's, then the engine's."""
        known = (one.teach for one in self.diagnose if _recognised(one, self))
        teach = next(known, None) or self.teach or fallback
        raise Failed(Failure(message=message, expected=expected, got=got, teach=teach))


def _recognised(diagnosis: Diagnosis, ask: _Question) -> bool:
    try:
        return diagnosis.recognises(ask, clone(ask.args))
    except (RuntimeError, TypeError, ValueError, AttributeError, IndexError, KeyError):
        return False  # a predicate meant for a tensor was handed what the learner returned: not this mistake


def _recognise_error(error: Exception, diagnose: Sequence[Diagnosis], args: tuple[Any, ...]) -> str | None:
    for diagnosis in diagnose:
        try:
            if diagnosis.wrong is not None:
                diagnosis.wrong(*clone(args))
        except Exception as same:  # the wrong reference's exception is what is compared
            if type(same) is type(error) and str(same) == str(error):
                return diagnosis.teach
    return None


def _equals_wrong(wrong: Reference, ask: "_Question", args: tuple[Any, ...]) -> bool:
    """By the tolerance of the check itself: a looser one would find a mistake that was not made."""
    try:
        expect_close(clone(ask.got, CPU), wrong(*args), rtol=ask.rtol, atol=ask.atol)
    except Failed:
        return False
    return True


def _compare(got: Any, expected: Any, what: str, ask: _Question) -> None:
    if is_tensor(expected):
        _compare_tensors(got, expected, what, ask)
    elif isinstance(expected, dict):
        _compare_dictionaries(got, expected, what, ask)
    elif isinstance(expected, (list, tuple)):
        _compare_sequences(got, expected, what, ask)
    elif isinstance(expected, float) and isinstance(got, (int, float)) and not isinstance(got, bool):
        _compare_numbers(float(got), expected, what, ask)
    elif type(got) is not type(expected) or got != expected:
        ask.fail(f"{what} is not what it should be", show("expected", expected), show("got", got), None)


def _compare_dictionaries(got: Any, expected: dict[Any, Any], what: str, ask: _Question) -> None:
    if not isinstance(got, dict) or set(got) != set(expected):
        message = f"{what} should be a dictionary with the keys {sorted(map(str, expected))}"
        ask.fail(message, show("expected", expected), show("got", got), None)
    for key in expected:
        _compare(got[key], expected[key], f"{what}[{key!r}]", ask)


def _compare_sequences(got: Any, expected: Any, what: str, ask: _Question) -> None:
    if not isinstance(got, type(expected)) or len(got) != len(expected):
        message = f"{what} should be a {type(expected).__name__} of {len(expected)}"
        ask.fail(message, show("expected", expected), show("got", got), None)
    for position, (one, other) in enumerate(zip(got, expected, strict=True)):
        _compare(one, other, f"{what}[{position}]", ask)


def _compare_numbers(got: float, expected: float, what: str, ask: _Question) -> None:
    rtol, atol = tolerances(torch.float32, ask.rtol, ask.atol)
    if abs(got - expected) <= atol + rtol * abs(expected) or got == expected or (got != got and expected != expected):
        return
    digits = digits_to_tell(expected, got)
    ask.fail(
        f"{what} is {number(got, digits)}, not {number(expected, digits)}",
        show("expected", expected),
        show("got", got),
        None,
    )


def _compare_tensors(got: Any, expected: torch.Tensor, what: str, ask: _Question) -> None:
    if not is_tensor(got):
        message = f"{what} should be a tensor and is {'None' if got is None else 'a ' + type(got).__name__}"
        hint = "Does every way through the function end in a return?" if got is None else None
        ask.fail(message, show("expected", expected), show("got", got), hint)
    for reason in _different_form(got, expected, ask):
        ask.fail(
            f"{what} has {reason}", show("expected", expected), show("got", got), explain_difference(got, expected)
        )
    _compare_values(got.detach().to(CPU), expected.detach(), what, ask)


def _different_form(got: torch.Tensor, expected: torch.Tensor, ask: _Question) -> list[str]:
    reasons = []
    if got.shape != expected.shape:
        reasons.append(f"the shape {list(got.shape)} and should have {list(expected.shape)}")
    if got.dtype != expected.dtype:
        reasons.append(f"the dtype {dtype_name(got.dtype)} and should have {dtype_name(expected.dtype)}")
    if got.layout != expected.layout:
        reasons.append(f"the layout {got.layout} and should have {expected.layout}")
    if ask.device is not None and got.device.type != ask.device.type:
        reasons.append(f"landed on {got.device} and should be on {ask.device}, where its inputs are")
    return reasons


def _compare_values(got: torch.Tensor, expected: torch.Tensor, what: str, ask: _Question) -> None:
    if same_values(got, expected):
        return
    rtol, atol = tolerances(expected.dtype, ask.rtol, ask.atol)
    different = ~isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
    count = int(different.sum())
    if count == 0:
        return
    index = tuple(different.nonzero()[0].tolist())
    digits = digits_to_tell(expected[index].item(), got[index].item())
    place = f" at {list(index)}" if index else ""
    many = f" ({count:,} of {got.numel():,} values differ)" if got.numel() > 1 else ""
    message = (
        f"{what} is {number(got[index].item(), digits)}{place}, not {number(expected[index].item(), digits)}{many}"
    )
    ask.fail(
        message,
        show("expected", expected, index, digits),
        show("got", got, index, digits),
        explain_difference(got, expected),
    )


def tolerances(dtype: torch.dtype, rtol: float | None = None, atol: float | None = None) -> tuple[float, float]:
    """What may differ in a dtype, unless the check says otherwise; whole numbers and booleans must be equal."""
    default = TOLERANCES.get(dtype, (0.0, 0.0))
    return (default[0] if rtol is None else rtol, default[1] if atol is None else atol)


def expect_view(got: Any, base: torch.Tensor, what: str = "the result", teach: str | None = None) -> None:
    """The tensor must look into the memory of `base` instead of having its own."""
    if is_tensor(got) and got.untyped_storage()._cdata == base.untyped_storage()._cdata:
        return
    message = f"{what} is a copy: it does not share the memory of the tensor that it was made from"
    raise Failed(Failure(message=message, got=Shown(label="got", kind=kind_of(got)), teach=teach))
