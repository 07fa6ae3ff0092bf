"""Weigh what is known of one operator in one dtype: the strongest source that speaks decides, and is named."""

from typing import NamedTuple

from torchstone.ops.wheels import rules
from torchstone.ops.wheels.cells import FAILURES, Tier, Verdict
from torchstone.ops.wheels.facts import KernelFacts
from torchstone.ops.wheels.knowledge import Knowledge, Status
from torchstone.ops.wheels.refusals import COMPLEX, FLOATING

_NO_DOUBLE = "Cannot convert a MPS Tensor to {} dtype as the MPS framework doesn't support {}"
"""What torch raises (ATen/mps/EmptyTensor.cpp)."""
_ONE_SAMPLE = "though it has a kernel: at least one of CI's samples fails"


class Judgement(NamedTuple):
    """A verdict before it is put into a cell."""

    verdict: Verdict
    tier: Tier
    reason: str
    likely: Verdict | None = None


def judge_forward(known: Knowledge, operator: str, dtype: str) -> Judgement:
    """What becomes of a forward call."""
    if known.device == "mps" and dtype in rules.NO_DOUBLE:
        return _refuse_double(known, dtype)
    status = known.status(operator)
    if status.kind in ("absent", "untold"):
        return Judgement("unknown", status.tier, status.reason)
    if status.kind == "fallback":
        return Judgement("falls_back", status.tier, status.reason)
    if status.kind in ("missing", "stub"):
        return _judge_missing(known, operator, dtype, status)
    if status.kind == "composite":
        return _judge_composite(known, operator, dtype, status)
    return _judge_native(known, operator, dtype, status)


def judge_backward(known: Knowledge, operator: str, dtype: str) -> Judgement:
    """What becomes of the backward pass; a forward call that fails, or likely does, has none, or likely none."""
    forward = judge_forward(known, operator, dtype)
    if forward.verdict in FAILURES or known.status(operator).kind == "absent":
        return forward
    if dtype not in FLOATING | COMPLEX | rules.NO_DOUBLE:
        return Judgement("dtype", "yaml", "only floating-point and complex tensors have gradients")
    word = known.ci_backward(operator, dtype)
    if word.expectation == "pass":
        return Judgement("ok", "ci-tables", word.reason)
    found = _judge_formula(known, operator, dtype, word.reason if word.expectation == "fail" else "")
    is_likelier = forward.likely in FAILURES and found.verdict not in FAILURES
    return forward if is_likelier else found


def _refuse_double(known: Knowledge, dtype: str) -> Judgement:
    tables = known.facts.ci
    if tables is not None and tables.no_double:
        return Judgement("dtype", "ci-tables", f"MPS has no {dtype}: PyTorch's CI expects every operator to refuse it")
    return Judgement("dtype", "message", _NO_DOUBLE.format(dtype, dtype))


def _judge_missing(known: Knowledge, operator: str, dtype: str, status: Status) -> Judgement:
    word = known.ci_forward(operator, dtype)
    if word.expectation == "pass" and known.device == "mps":
        return Judgement("unknown", "ci-tables", f"{word.reason}, though {status.reason}", "ok")
    return Judgement("unsupported", status.tier, status.reason)


def _judge_composite(known: Knowledge, operator: str, dtype: str, status: Status) -> Judgement:
    word = known.ci_forward(operator, dtype)
    if word.expectation == "pass":
        return Judgement("ok", "ci-tables", word.reason)
    missing = known.missing_parts(operator)
    if word.expectation == "fail" and missing:
        return Judgement("unsupported", "ci-tables", f"{word.reason}; it stands on {missing[0]}, which is missing")
    if word.expectation == "fail":
        likely: Verdict = "unsupported" if word.everywhere else "dtype"
        return Judgement("unknown", "ci-tables", f"{word.reason}: at least one sample fails", likely)
    if missing:
        return Judgement(
            "unknown", "registrations", f"{operator} may call {missing[0]}, which is missing", "unsupported"
        )
    return Judgement("unknown", status.tier, status.reason, "ok")


def _judge_native(known: Knowledge, operator: str, dtype: str, status: Status) -> Judgement:
    word = known.ci_forward(operator, dtype)
    if word.expectation == "pass":
        return Judgement("ok", "ci-tables", word.reason)
    if word.expectation == "fail" and not word.everywhere:
        passing = known.ci_passing_as(operator, dtype)
        if passing:
            reason = f"{word.reason}: at least one sample fails, and those of {passing} pass, which calls it"
            return Judgement("unknown", "ci-tables", reason, "dtype")
        return Judgement("dtype", "ci-tables", word.reason)
    if word.expectation == "fail":
        return Judgement("unknown", "ci-tables", f"{word.reason}, {_ONE_SAMPLE}", "dtype")
    kernel = known.kernel(operator)
    by_kernel = _judge_kernel(operator, dtype, kernel) if kernel is not None else None
    return by_kernel or _judge_registered(known, operator, dtype, status)


def _judge_kernel(operator: str, dtype: str, kernel: KernelFacts) -> Judgement | None:
    """By the dtypes of the Metal kernels and the operator's own words; None where neither speaks."""
    refusal = next((one for one in kernel.refusals if dtype in one.dtypes), None)
    if dtype in kernel.dtypes and (refusal is None or refusal.conditional):
        stems = ", ".join(kernel.stems)
        return Judgement("ok", "metal-kernels", f"the wheel holds Metal kernels of {stems} for {dtype}")
    if refusal is not None and not refusal.conditional:
        return Judgement("dtype", "message", f'{operator} says: "{refusal.message}"')
    if refusal is not None:
        return Judgement("unknown", "message", f'for some arguments {operator} says: "{refusal.message}"', "ok")
    if "float32" in kernel.dtypes and not kernel.uses_graph:
        held = ", ".join(kernel.dtypes)
        reason = f"the Metal kernels of {', '.join(kernel.stems)} are for {held}, which is no proof against {dtype}"
        return Judgement("unknown", "metal-kernels", reason, "dtype")
    return None


def _judge_registered(known: Knowledge, operator: str, dtype: str, status: Status) -> Judgement:
    """Nothing tells the dtypes: float32 is what kernels are written for, or complex64 where they take no other; the
    rest is likely."""
    written_for = ("float32", "complex64") if operator.split(".")[0] in rules.COMPLEX_ALONE else ("float32",)
    if dtype in written_for:
        return Judgement("ok", status.tier, status.reason)
    if known.device == "mps" and dtype in COMPLEX:
        return Judgement("unknown", status.tier, f"{status.reason}, but nothing shows whether for complex tensors")
    return Judgement("unknown", status.tier, f"{status.reason}, but nothing shows in which dtypes", "ok")


def _judge_formula(known: Knowledge, operator: str, dtype: str, doubt: str) -> Judgement:
    """By the functions that the derivative's formula calls. One that is made of other operators has a formula only for
    layouts that have kernels of their own (nested tensors): elsewhere the backward passes of its parts run."""
    keys = known.facts.keys.get(operator, ())
    if "CompositeImplicitAutograd" in keys and known.key not in keys:
        reason = f"{operator} is made of other operators, whose own backward passes run"
        return Judgement("unknown", "yaml", doubt or reason, "unsupported" if doubt else "ok")
    formula = known.facts.derivatives.get(operator)
    if formula is None:
        reason = doubt or f"derivatives.yaml has no formula of its own for {operator}"
        return Judgement("unknown", "ci-tables" if doubt else "yaml", reason, "unsupported" if doubt else None)
    for function in formula.always:
        missing = _missing_overload(known, function)
        if missing is not None:
            return Judgement("unsupported", missing.tier, f"its backward pass calls {function}: {missing.reason}")
    if doubt:
        return Judgement("unknown", "ci-tables", doubt, "unsupported")
    hidden = [name for name in (*formula.always, *formula.sometimes) if name not in known.overloads]
    reason = f"its backward pass calls {', '.join(formula.always or formula.sometimes) or 'nothing'}"
    forward = judge_forward(known, operator, dtype)
    if hidden or formula.sometimes or forward.verdict == "unknown":
        return Judgement("unknown", "yaml", f"{reason}, not all of which the tables show", "ok")
    return Judgement("ok", "yaml", reason)


def _missing_overload(known: Knowledge, function: str) -> Status | None:
    """The status of a function that is an operator and has no kernel in any overload; None where it has, or is C++."""
    statuses = [known.status(one) for one in known.overloads.get(function, ())]
    missing = [one for one in statuses if one.kind == "missing"]
    return missing[0] if missing and len(missing) == len(statuses) else None
