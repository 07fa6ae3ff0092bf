"""The evidence on one device in one torch: cells for operators, and verdicts on the calls of a traced model."""

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

import msgspec

from torchstone.errors import UserError, nearest_names
from torchstone.ops.wheels import keeping, rules
from torchstone.ops.wheels.cells import FAILURES, Cell, Direction
from torchstone.ops.wheels.facts import Facts
from torchstone.ops.wheels.judging import Judgement, judge_backward, judge_forward
from torchstone.ops.wheels.knowledge import Knowledge, require_device
from torchstone.ops.wheels.reading import gather
from torchstone.ops.wheels.refusals import BOOLEAN, COMPLEX, FLOATING, INTEGRAL

DTYPES = (
    "float32",
    "float16",
    "bfloat16",
    "int64",
    "int32",
    "int16",
    "int8",
    "uint8",
    "bool",
    "complex64",
    "complex32",
    "float64",
    "complex128",
)
"""The dtypes that cells are made for."""
DIRECTIONS: tuple[Direction, ...] = ("forward", "backward")


class Evidence:
    """What the files of one torch say of one device. Make it with `evidence_for`."""

    def __init__(self, facts: Facts, device: str) -> None:
        self._known = Knowledge(facts, device)
        self.device = self._known.device
        self.torch = facts.torch
        self.source = facts.source
        self.deep = facts.library is not None

    @property
    def operators(self) -> tuple[str, ...]:
        """Every overload, as `add.Tensor`, in the order of the yaml."""
        return tuple(self._known.facts.keys)

    @property
    def native(self) -> frozenset[str]:
        """The overloads that are registered for the device itself: kernels, fallbacks and stubs."""
        kinds = ("native", "fallback", "stub")
        facts = self._known.facts
        if facts.library is not None and self.device == "mps":
            return frozenset(facts.library.mps) | frozenset(facts.python)
        return frozenset(
            one
            for one in facts.keys
            if self._known.status(one).kind in kinds
            and (self._known.key in facts.keys[one] or one in facts.python or one in rules.CPU_FALLBACKS)
        )

    @property
    def overrides(self) -> frozenset[str]:
        """Composites with a kernel of the device's own: on another device a trace shows their parts instead."""
        return frozenset(
            one for one in self.native if "CompositeImplicitAutograd" in self._known.facts.keys.get(one, ())
        )

    @cached_property
    def opened(self) -> tuple[str, ...]:
        """Operators that are made of others with other names, though torch traces them in one piece."""
        instead = rules.ON_MPS_INSTEAD if self.device == "mps" else {}
        return tuple(one for one in self.operators if one not in instead and self._known.hides_parts(one))

    def has_kernels_anywhere(self, operator: str) -> bool:
        """Whether an overload has a kernel of its own on some device, and is no composite alone."""
        return bool({"CPU", "CUDA", self._known.key} & set(self._known.facts.keys.get(operator, ())))

    def status_of(self, operator: str) -> str:
        """`native`, `fallback`, `stub`, `composite`, `missing`, `untold` or `absent`, of one overload."""
        return self._known.status(operator.removeprefix("aten::")).kind

    def cell(self, op: str, dtype: str = "float32", direction: Direction = "forward") -> Cell:
        """The verdict on an overload (`aten::add.Tensor`), or on a base name through its overloads."""
        name = op.removeprefix("aten::")
        overloads = [name] if name in self._known.facts.keys else self._functional(name)
        if not overloads:
            return self._cell(name, dtype, direction, self._judge(name, dtype, direction))
        cells = [self._cell(one, dtype, direction, self._judge(one, dtype, direction)) for one in overloads]
        return max(cells, key=_badness)

    def call(
        self,
        op: str,
        inputs: Sequence[str],
        outputs: Sequence[str] = (),
        *,
        requested: Sequence[str] = (),
        within: str = "",
        direction: Direction = "forward",
    ) -> Cell:
        """The verdict on one call of a trace made elsewhere, by the dtypes of its tensors (`float32:sparse_coo` too).

        What MPS runs in its place is looked at, and with `within`, the function of torch that made the call
        (`linalg.svd`). A float64 that the trace alone shows may be the other device's own choice, so it is *unknown*;
        one that a person's code asks for (`requested`) is refused.
        """
        name = op.removeprefix("aten::")
        if self.device == "mps":
            name = rules.ON_MPS_INSTEAD.get(name, name)
            function = within.removeprefix("Tensor.").removeprefix("functional.")
            part, whole = rules.THROUGH_FALLBACK.get(function, ("", ""))
            name = whole if name == part and self.status_of(whole) == "fallback" else name
        doubt = self._doubt_call(name, (*inputs, *outputs), requested)
        dtype = computing_dtype(inputs, outputs)
        if doubt is not None:
            return self._cell(name, dtype, direction, doubt)
        return self._by_function(within, self._by_parts(name, self.cell(name, dtype, direction)))

    def _by_function(self, within: str, cell: Cell) -> Cell:
        """Where CI sees the function pass that made the call, it has seen this call pass, too, whatever it says of the
        operator's own samples: `square` is a power, and passes where some powers fail. A missing kernel stays missing:
        CI's samples of a function need not call each of its parts."""
        is_refused = "dtype" in (cell.verdict, cell.likely) and cell.tier == "ci-tables"
        if not is_refused or cell.dtype in rules.NO_DOUBLE or cell.direction == "backward":
            return cell
        word = self._known.ci_function(within, cell.dtype)
        return cell if word.expectation != "pass" else _passed(cell, word.reason)

    def expected_failure(self, within: str, dtype: str) -> str:
        """Why a function of torch likely fails in a dtype, though its parts may not show it; empty where CI's samples
        of it pass. Of float32 the parts tell more: CI names a function where one of its kinds fails."""
        if dtype not in FLOATING - {"float32"} or dtype in rules.NO_DOUBLE:
            return ""
        word = self._known.ci_function(within, dtype)
        return word.reason if word.expectation == "fail" and not word.everywhere else ""

    def _by_parts(self, name: str, cell: Cell) -> Cell:
        """Where CI's samples of one kind fail (`linalg.pinv` with `hermitian`), the parts that a trace shows tell
        whether a call is of that kind."""
        is_told = cell.verdict == "unknown" and cell.likely in FAILURES and cell.direction == "forward"
        passing = self._known.ci_passing(name, cell.dtype) if is_told and name in self.opened else None
        return cell if passing is None else _passed(cell, passing.reason)

    def _doubt_call(self, name: str, dtypes: Sequence[str], requested: Sequence[str]) -> Judgement | None:
        if name in rules.ONLY_ON_CPU and self.device != "cpu":
            return Judgement(
                "unknown", "yaml", f"{name} runs on the CPU alone; what runs in its place is not seen", "ok"
            )
        if any(":" in dtype for dtype in dtypes):
            return self._doubt_sparse(name, dtypes)
        doubles = rules.NO_DOUBLE & set(dtypes)
        if self.device != "mps" or not doubles:
            return None
        double = min(doubles)
        if double in requested:
            return judge_forward(self._known, name, double)
        reason = f"{double} is seen in a trace made on another device; MPS has none, but may compute otherwise"
        return Judgement("unknown", "ci-tables", reason, "dtype")

    def _doubt_sparse(self, name: str, dtypes: Sequence[str]) -> Judgement:
        """No table tells of a sparse tensor; one that is made of a dense one needs a kernel for that, and some layouts
        are refused when they are made."""
        if self.device == "mps" and self._has_compressed(dtypes):
            return Judgement(
                "unsupported", "message", f'of any compressed sparse tensor it says: "{rules.NO_COMPRESSED}"'
            )
        is_of_dense = name.startswith(rules.OF_DENSE) and ":" not in dtypes[0]
        found = judge_forward(self._known, name, dtypes[0]) if is_of_dense else None
        if found is not None and found.verdict in FAILURES:
            return found
        return Judgement("unknown", "yaml", "the tables do not tell for tensors that are not dense")

    def _has_compressed(self, dtypes: Sequence[str]) -> bool:
        layouts = {dtype.partition(":")[2] for dtype in dtypes}
        return bool(layouts & rules.COMPRESSED) and keeping.numbers_of(self.torch)[:2] <= rules.COMPRESSED_READ

    def function(self, name: str, dtype: str, direction: Direction = "forward") -> Cell | None:
        """The verdict on a function of torch (`nn.functional.linear`) whose composite the device replaces whole."""
        operator = rules.FUNCTIONS_ON_MPS.get(name, "") if self.device == "mps" else ""
        if operator not in self.native:
            return None
        refusal = self._refusal_by_dimensions(operator, name, dtype)
        if refusal is not None:
            return self._cell(operator, dtype, direction, refusal)
        return self.cell(operator, dtype, direction)

    def _refusal_by_dimensions(self, operator: str, function: str, dtype: str) -> Judgement | None:
        """A message that holds for some dimensions only, where the function has just those: `3D` for `conv3d`."""
        kernel = self._known.kernel(operator)
        for refusal in kernel.refusals if kernel is not None else ():
            if dtype in refusal.dtypes and function[-2:].upper() in refusal.message.split():
                return Judgement("dtype", "message", f'{operator} says: "{refusal.message}"')
        return None

    def cells(self, patterns: Iterable[str] = (), dtypes: Iterable[str] = DTYPES) -> Iterator[Cell]:
        """Every overload that matches, in every dtype, forward and backward where there are gradients."""
        chosen_dtypes = tuple(require_dtypes(dtypes))
        for operator in self.matching(patterns):
            for dtype in chosen_dtypes:
                for direction in DIRECTIONS:
                    if direction == "forward" or dtype in FLOATING | COMPLEX | rules.NO_DOUBLE:
                        yield self._cell(operator, dtype, direction, self._judge(operator, dtype, direction))

    def matching(self, patterns: Iterable[str]) -> tuple[str, ...]:
        """The overloads that match any pattern (all where there is none); `UserError` where one matches nothing."""
        wanted = [pattern.removeprefix("aten::") for pattern in patterns]
        for pattern in wanted:
            if not any(_matches(one, pattern) for one in self.operators):
                raise self._unknown(pattern)
        return tuple(one for one in self.operators if not wanted or any(_matches(one, pattern) for pattern in wanted))

    def _unknown(self, pattern: str) -> UserError:
        near = nearest_names(pattern, {*self.operators, *self._known.overloads}, 4)
        hint = f"the nearest names: {', '.join(near)}" if near else "`torchstone ops --static mps` lists them all"
        return UserError(f"torch {self.torch} has no operator {pattern!r}", hint)

    def _functional(self, name: str) -> list[str]:
        """The overloads of a base name without those that write into `out`, unless there are no others."""
        overloads = self._known.overloads.get(name, ())
        return [one for one in overloads if not one.endswith("out")] or list(overloads)

    def _judge(self, operator: str, dtype: str, direction: Direction) -> Judgement:
        judge = judge_forward if direction == "forward" else judge_backward
        return judge(self._known, operator, dtype)

    def _cell(self, operator: str, dtype: str, direction: Direction, judgement: Judgement) -> Cell:
        name, _, variant = operator.partition(".")
        kernel = self._known.kernel(operator)
        return Cell(
            op=f"aten::{name}",
            variant=variant,
            dtype=dtype,
            direction=direction,
            verdict=judgement.verdict,
            tier=judgement.tier,
            reason=judgement.reason,
            likely=judgement.likely,
            limits=tuple(one.message for one in kernel.refusals if not one.dtypes or one.conditional) if kernel else (),
        )


def evidence_for(device: str, *, torch: str | Path | None = None, deep: bool = False) -> Evidence:
    """What the installed torch (None), a release (`2.15`) or a wheel file says of a device; `deep` reads its library.

    Reading another release asks pip's index once; after that its facts are kept. `UserError` for an unknown device or
    release, a wheel that can't be read, an index that can't be reached.
    """
    name = require_device(device)
    return Evidence(gather(torch, deep=deep and name == "mps"), name)


def newer_evidence(device: str, than: str, given: str | Path | None = None) -> tuple[Evidence, ...]:
    """Of later releases that were read before, the oldest first; or of the one that is given."""
    name = require_device(device)
    facts = keeping.recall_newer(than) if given is None else [gather(given)]
    return tuple(Evidence(one, name) for one in facts)


def require_dtypes(dtypes: Iterable[str]) -> Iterator[str]:
    """The dtypes by their long names; `UserError` with the nearest for one that torch does not have."""
    for dtype in dtypes:
        name = dtype.removeprefix("torch.")
        if name not in DTYPES:
            near = nearest_names(name, DTYPES)
            raise UserError(f"no dtype {dtype!r}", f"the nearest: {', '.join(near or DTYPES)}")
        yield name


def _passed(cell: Cell, reason: str) -> Cell:
    return msgspec.structs.replace(cell, verdict="ok", tier="ci-tables", reason=reason, likely=None)


def _matches(operator: str, pattern: str) -> bool:
    return fnmatchcase(operator, pattern) or fnmatchcase(operator.split(".")[0], pattern)


def _badness(cell: Cell) -> int:
    order = ("ok", "unknown", "falls_back", *FAILURES)
    return order.index(cell.verdict)


def computing_dtype(inputs: Sequence[str], outputs: Sequence[str]) -> str:
    """The dtype that a kernel computes in: complex before floating before the first; integers that become floats."""
    doubles = [dtype for dtype in (*inputs, *outputs) if dtype in rules.NO_DOUBLE]
    if doubles:
        return doubles[0]
    for group in (COMPLEX, FLOATING):
        found = next((dtype for dtype in inputs if dtype in group), None)
        if found is not None:
            return found
    first = inputs[0] if inputs else outputs[0] if outputs else "float32"
    becomes_floating = bool(outputs) and first in INTEGRAL | BOOLEAN and outputs[0] in FLOATING
    return outputs[0] if becomes_floating else first
