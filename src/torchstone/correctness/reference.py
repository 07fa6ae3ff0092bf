"""What a model's outputs are compared with, made once: its answer on the CPU in float64, and what it does besides.

A model that draws random numbers, counts its calls or writes into its inputs gives another answer every time, and no
device is to blame. That is found out here, by calling it twice, and named.
"""

from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from torchstone.correctness.answers import run_rounded
from torchstone.correctness.calling import (
    Answered,
    Caller,
    Draws,
    Leaves,
    active_dropouts,
    differ,
    take_inputs_apart,
)
from torchstone.correctness.doubting import TF32_JITTER, Others, answers_of_others
from torchstone.correctness.judging import Judge, spell_paths
from torchstone.correctness.leaves import Leaf, NotComparableError, take_apart
from torchstone.errors import first_line_of
from torchstone.models.inputs import Inputs, tensors_in

JITTER = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
"""Half a unit in the last place: what any value may be off by from the start."""
NARROW = ("float16", "bfloat16")
_SEED, _OTHER_SEED = 0, 1


def own_dtype(model: nn.Module, inputs: Inputs) -> str:
    """What a model is by itself: the dtype of most of its weights, or of its inputs where it has none."""
    weights = [*model.parameters(), *model.buffers()]
    return _most_frequent(weights) or _most_frequent(tensors_in((inputs.args, inputs.kwargs))) or "float32"


def _most_frequent(tensors: list[Any]) -> str | None:
    counts: dict[str, int] = {}
    for tensor in tensors:
        if tensor.is_floating_point() or tensor.is_complex():
            name = str(tensor.real.dtype).removeprefix("torch.")
            counts[name] = counts.get(name, 0) + tensor.numel()
    return max(counts, key=lambda name: counts[name]) if counts else None


class Reference:
    """The exact answer of a model to its inputs, and judges that compare with it. Both are left as they are."""

    def __init__(self, model: nn.Module, inputs: Inputs, *, trusted: bool = False) -> None:
        """`trusted` leaves out the second call, of a model that is known to repeat itself."""
        self.dtype = own_dtype(model, inputs)
        self.source = "CPU float64"
        """What is compared with; where the model can't be run in float64, what else, and why."""
        self.unverifiable: str | None = None
        """Why no output of the model can be judged, on any device."""
        self.remarks: list[str] = []
        """What the model does besides answering that disturbs nobody."""
        self.exact: Leaves = {}
        self._model, self._inputs = model, inputs
        self._untouched = take_inputs_apart(inputs)
        self._caller, self._computed_in = Caller(model, inputs, torch.float64), "float64"
        self._own: dict[str, Leaves | float] = {}
        self._others: dict[float, Others] = {}
        try:
            self._answer(trusted)
        except NotComparableError as error:
            self.unverifiable = str(error)

    def judge(self, dtype: str | None = None, rows: tuple[int, ...] | None = None, *, autocast: bool = False) -> Judge:
        """Who says whether an output in that dtype (the model's own where none is given) is right."""
        chosen = dtype or self.dtype
        if self.unverifiable is None and chosen not in self._own:
            self._own[chosen] = self._answer_in(chosen)
        return Judge(
            exact=self.exact,
            own=self._own.get(chosen, 0.0),
            dtype=chosen,
            rows=rows,
            examples=self._examples(),
            unverifiable=self.unverifiable,
            autocast=autocast,
            inputs=self._untouched,
            others=partial(self._answers_of_others, chosen),
        )

    def _answers_of_others(self, dtype: str) -> Others:
        jitter = TF32_JITTER if dtype == "float32" else JITTER.get(dtype, JITTER["float32"])
        if jitter not in self._others:
            self._others[jitter] = answers_of_others(self._caller, self.exact, jitter, _SEED)
        return self._others[jitter]

    def _examples(self) -> int | None:
        first = next(iter(tensors_in((self._inputs.args, self._inputs.kwargs))), None)
        return first.shape[0] if first is not None and first.dim() > 0 else None

    def _answer(self, trusted: bool) -> None:
        first = self._call_first()
        self.exact = first.leaves
        if not any(isinstance(leaf.value, Tensor) for leaf in first.leaves.values()):
            self.unverifiable = "it returns nothing that can be compared: no tensor and no number"
        elif all(map(_is_nan, first.leaves.values())):
            self.unverifiable = f"its output is NaN on the {self.source} already: no speed of it means anything"
        elif not trusted:
            self._look_for_side_effects(first)

    def _call_first(self) -> Answered:
        """In float64 where the model can; as it is where not, with the reason."""
        failure = ""
        for name in ("float64", "float32") if self.dtype in NARROW else ("float64",):
            caller = Caller(self._model, self._inputs, getattr(torch, name))
            try:
                answered = caller.call(_SEED)
            except NotComparableError:
                raise
            except Exception as error:  # somebody else's code may fix a dtype, or refuse to be copied
                failure = failure or first_line_of(error)
                continue
            self._remember(caller, name, failure)
            return answered
        self._remember(Caller(self._model, self._inputs), self.dtype, failure)
        return self._caller.call(_SEED)

    def _remember(self, caller: Caller, name: str, failure: str) -> None:
        self._caller, self._computed_in = caller, name
        self.source = f"CPU {name}, because in float64: {failure}" if failure else f"CPU {name}"

    def _look_for_side_effects(self, first: Answered) -> None:
        if first.changed_inputs:
            again = self._caller.call(_SEED, inputs=first.inputs)
            words = f"it changes {spell_paths(first.changed_inputs)} in place"
            if differ(first.leaves, again.leaves):
                self.unverifiable = f"{words}, so that the next call with the same tensors gives another answer"
                return
            self.remarks.append(words)
            changed = set(first.changed_inputs)
            self._untouched = {path: leaf for path, leaf in self._untouched.items() if path not in changed}
        second = self._caller.call(_OTHER_SEED, model=first.model)
        if differ(first.leaves, second.leaves):
            self.unverifiable = self._explain_difference(first)
        elif first.changed_state:
            self.remarks.append(f"it changes its own {spell_paths(first.changed_state)} at every call")

    def _explain_difference(self, first: Answered) -> str:
        with Draws() as draws:
            fresh = self._caller.call(_SEED)
        if differ(first.leaves, fresh.leaves):
            return "its answer differs from call to call, even from the same seed and the same state"
        if differ(first.leaves, self._caller.call(_OTHER_SEED).leaves):
            names = spell_paths(sorted(draws.names)) if draws.names else "random numbers"
            layers = active_dropouts(self._model)
            where = f", by dropout that is switched on in {spell_paths(layers)}" if layers else ""
            return f"its answer is random ({names}{where}): no two calls agree, on the CPU neither"
        state = f" ({spell_paths(first.changed_state)})" if first.changed_state else ""
        return f"its answer changes with every call, because it keeps a state{state}"

    def _answer_in(self, dtype: str) -> Leaves | float:
        """The CPU's own answer in a dtype, to measure its error by."""
        if dtype != self._computed_in:
            try:
                with torch.random.fork_rng(devices=[]):
                    torch.manual_seed(_SEED)
                    return take_apart(run_rounded(self._model, self._inputs, dtype))
            except Exception as error:  # the CPU may not run it in a dtype in which a device does
                self.remarks.append(f"the CPU can't run it in {dtype}: {type(error).__name__}")
        return self._answer_moved(dtype)

    def _answer_moved(self, dtype: str) -> Leaves | float:
        """Where there is nothing more exact, the error is what inputs and weights off by half a unit make of it."""
        try:
            return self._caller.jittered(JITTER.get(dtype, JITTER["float32"])).call(_SEED).leaves
        except Exception:  # what refuses to be copied is compared by the floors alone
            return 0.0


def _is_nan(leaf: Leaf) -> bool:
    if leaf.kind not in ("float", "complex"):
        return False
    return bool(leaf.value.numel() > 0 and leaf.value.isnan().all())
