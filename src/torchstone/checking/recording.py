"""Records every operator that reaches the phantom, before it is executed: one that fails is recorded too.

What reads a value (`.item()`, `nonzero`) has none to read here: see `guessing`. A float64 counts as asked for only
where the person's own call asks for it: torch's C++ chooses float64 by the device that it runs on, and never on MPS.
"""

import contextlib
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException, FakeTensor
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils.weak import WeakTensorKeyDictionary

from torchstone.checking import phantom
from torchstone.checking.catching import REFUSALS, handler_line
from torchstone.checking.differentiating import SecondDerivatives
from torchstone.checking.guessing import (
    ERROR_CHECKS,
    Guesses,
    follow_value,
    guess,
    is_known,
    ones,
    only_chooses_a_mask,
    only_decides_a_warning,
    only_decides_an_error,
)
from torchstone.checking.hooks import Failures
from torchstone.checking.host import HostTensorError, HostTensors, refuse_elsewhere, refuse_numpy
from torchstone.checking.leaves import describe, doubles, held_there, name_of, on_phantom, without_numbers
from torchstone.checking.limits import Limit, broken_function_limit, broken_limit, doubtful_tensor, old_system_limit
from torchstone.checking.noting import Key, Noted
from torchstone.checking.places import Places
from torchstone.checking.rewriting import function_name, functions_aside
from torchstone.checking.trace import NO_SIZE, Place, TracedCall
from torchstone.measuring.allocations import leaves_of_call
from torchstone.ops.wheels.rules import ALWAYS_DOUBLE, NO_DOUBLE

AT_HOME = (phantom.NAME, "cpu", "meta")
ASKS_DEVICE = torch.ops.prim.device.default
"""Two of three calls of a step: torch's C++ asks every tensor without data where it is."""
READS_VALUE = torch.ops.aten._local_scalar_dense.default
IGNORED = ("prim::", "profiler::", "prims::")
BOOKKEEPING = frozenset({"aten::lift_fresh", "aten::detach", "aten::alias", "aten::_to_copy.out"})
"""No work of a device."""
COMPOSITE_KEYS = ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")
GO_BACK = (Tensor.backward, torch.autograd.backward, torch.autograd.grad)
"""They call what other functions have left behind, and are the function of none of these calls."""


class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Enter it within a `PhantomMode`."""

    def __init__(self, places: Places, device: str, opened: Iterable[str] = ()) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.places = places
        self.device = device
        """The kind that is meant, such as `mps`."""
        self.asked: frozenset[str] = frozenset()
        """The dtypes that the person's own call names."""
        self.host = HostTensors()
        self._opened = frozenset(f"aten::{name}" for name in opened)
        self._unasked: Any = WeakTensorKeyDictionary()  # the float64 tensors that nobody asked for
        self.guesses = Guesses()
        self.failures = Failures()
        """Of hooks on the way back."""
        self.cautions: dict[str, None] = {}
        """What older systems refuse."""
        self.within = ""
        self._twice = SecondDerivatives(device)
        self._noted: dict[Key, Noted] = {}
        self._quiet = 0
        self._opening = ""
        self._times = 1

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # else torch wraps each call once more

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if function is ASKS_DEVICE and isinstance(args[0], FakeTensor):
            return args[0].device
        with functions_aside():
            return self._dispatch(function, args, kwargs or {})

    def _dispatch(self, function: Any, args: Any, kwargs: Any) -> Any:
        name = function.name()
        if name in ERROR_CHECKS:
            return None
        self._hold(self._twice.refused(name), (args, kwargs))
        if self._is_quiet or name.startswith(IGNORED) or name in BOOKKEEPING:
            result = self._execute(function, args, kwargs)
            if isinstance(result, Tensor) and result.device.type == "cpu":
                self.host.note(args, [result], self.places.here().source)
            return result
        if self._opening and not phantom.comes_whole(function):  # below autograd, composites arrive in one piece
            with self:
                return function.decompose(*args, **kwargs)
        given = leaves_of_call((args, kwargs))
        key, is_new = self._note(name, given)
        self._noted[key].hold(broken_limit(self.device, name, args, kwargs))
        if is_new and name in self._opened and _makes_from_tensors(function):
            self._record_parts(function, args, kwargs)
        result = self._execute(function, args, kwargs)
        self._finish(key, given, result)
        caution = old_system_limit(self.device, name, result)
        if caution is not None:
            self.cautions[f"{self.places.here().tell()}: {caution}"] = None
        doubt = None if function.is_view else doubtful_tensor(self.device, on_phantom(leaves_of_call(result)))
        if doubt is not None and key in self._noted:
            self._noted[key].doubt = doubt
        return result

    @property
    def _is_quiet(self) -> bool:
        """Whether the device makes none of the calls that are made now."""
        return bool(self._quiet) or self.failures.has_failed

    @contextlib.contextmanager
    def whole(self, operator: Any, args: Any, kwargs: Any) -> Iterator[phantom.Finish]:
        """Note a composite as one call, and none of its parts."""
        given = leaves_of_call((args, kwargs))
        key = None if self._is_quiet else self._note(operator.name(), given)[0]
        if key is not None:
            self._noted[key].hold(broken_limit(self.device, operator.name(), args, kwargs))
        self._quiet += 1
        try:
            with self._twice.following(operator.name()), self.places.attributing():
                yield lambda result: self._weigh(key, [*given, *leaves_of_call(result)])
        except HostTensorError as error:  # of a part of it: the whole knows what it was given
            raise self.host.explain(operator.name(), given, self.device) or error from None
        finally:
            self._quiet -= 1

    @contextlib.contextmanager
    def counting(self, times: int) -> Iterator[None]:
        """Within, a call stands for so many."""
        self._times = times
        try:
            yield
        finally:
            self._times = 1

    @contextlib.contextmanager
    def within_function(self, function: Any, args: Any, kwargs: Any, leaves: list[Any]) -> Iterator[None]:
        """Within, calls come from a function of torch, and from the outermost of those that call each other."""
        before = self.within, self.asked
        name = "" if function in GO_BACK else function_name(function)
        self._hold(broken_function_limit(self.device, name, args, kwargs), leaves)
        self.within, self.asked = before[0] or name, before[1] | _asked_for(name, leaves)
        try:
            with self._twice.following(name):
                yield
        finally:
            self.within, self.asked = before

    def _hold(self, refused: Limit | None, given: Any) -> None:
        """Note the operator of the device's own that refuses; a trace shows others in its place."""
        if refused is not None:
            self._noted[self._note(refused.operator, leaves_of_call(given))[0]].hold(refused)

    def calls(self) -> tuple[TracedCall, ...]:
        """In the order of their first call."""
        return tuple(noted.tell(key) for key, noted in self._noted.items())

    def _note(self, name: str, given: list[Any]) -> tuple[Key, bool]:
        """The call by what is told apart, and whether it is the first such."""
        place = self.places.here()
        key = (name, describe(held_there(given)), self.within, place.phase, place.source)
        is_new = key not in self._noted
        noted = self._noted.setdefault(key, Noted(place, part_of=self._opening))
        if not self._opening:
            noted.part_of = ""
        if is_new or noted.handler:
            noted.handler = handler_line(sys._getframe(1), REFUSALS)
        noted.calls += self._times
        noted.modules.add(place.module)
        noted.requested.update(self._find_requested(without_numbers(given), place))
        return key, is_new

    def _find_requested(self, given: list[Any], place: Place) -> set[str]:
        """The dtypes that the person asks for: by name, or with a tensor of float64 that they made."""
        found = {name_of(leaf) for leaf in given if isinstance(leaf, torch.dtype)} & self.asked
        if place.phase == "forward":
            found.update(name_of(one.dtype) for one in doubles(given) if one not in self._unasked)
        return found

    def _finish(self, key: Key, given: list[Any], result: Any) -> None:
        made = [leaf for leaf in leaves_of_call(result) if isinstance(leaf, Tensor)]
        tensors = [*(leaf for leaf in given if isinstance(leaf, Tensor)), *made]
        if made and not any(tensor.device.type == phantom.NAME for tensor in made):
            self.host.note(given, made, self._noted[key].place.source)
        if not any(tensor.device.type == phantom.NAME for tensor in tensors):
            self._forget(key)  # the host's own work, such as an optimizer's count of steps
            return
        if made and not any(tensor.device.type == phantom.NAME for tensor in made):
            self._noted[key].requested.clear()  # a float64 on the host is asked for, not on the device
            return
        self._noted[key].outputs.update(describe(made))
        if not self._noted[key].requested & NO_DOUBLE:
            self._unasked.update((one, True) for one in doubles(made))
        self._weigh(key, tensors)

    def _weigh(self, key: Key | None, leaves: list[Any]) -> None:
        """The bytes of a call's tensors, in its first call."""
        if key is not None and self._noted[key].bytes is None:
            self._noted[key].bytes = sum(one.nbytes for one in on_phantom(leaves) if one.layout is torch.strided)

    def _forget(self, key: Key) -> None:
        self._noted[key].calls -= self._times
        if not self._noted[key].calls:
            del self._noted[key]

    def _record_parts(self, function: Any, args: Any, kwargs: Any) -> None:
        """Run the kernel that is made of other operators by itself: torch traces it in one piece."""
        key = _composite_key(function.name())
        if key is None:
            return
        before, self._opening = self._opening, self._opening or function.name()
        try:
            with contextlib.suppress(Exception), self:  # what was called before it failed is recorded
                function._op_dk(key, *args, **kwargs)
        finally:
            self._opening = before

    def _execute(self, function: Any, args: Any, kwargs: Any) -> Any:
        try:
            return self._attempt(function, args, kwargs)
        except HostTensorError:  # the device says that, too
            raise
        except Exception as error:
            handler = handler_line(sys._getframe(1), (type(error),))
            if handler:
                reason = (
                    f"a trace fails here ({type(error).__name__}), where the device may not, and {handler} catches it"
                )
                self.guesses.note_failure(function.name(), self.places.here(), reason)
            raise

    def _attempt(self, function: Any, args: Any, kwargs: Any) -> Any:
        refused = self.host.refuse_index(function.name(), args)
        if refused is not None:
            raise refused
        try:
            result = function(*args, **kwargs)
        except NotImplementedError:  # torch knows no shapes for it: an exception in autograd's thread would abort
            return guess(function, args, kwargs)
        except (DataDependentOutputException, DynamicOutputShapeException) as missing:
            if is_known(function, args, kwargs):
                return guess(function, args, kwargs)
            place = self.places.here()
            value = self.guesses.passing(args[0], place) if function is READS_VALUE else None
            if value is not None:
                return value
            if only_decides_a_warning(function.name(), self.within) or only_chooses_a_mask():
                return False
            if place.phase in ("forward", "backward") and not only_decides_an_error():
                is_size = isinstance(missing, DynamicOutputShapeException)
                self.guesses.note(function.name(), place, NO_SIZE if is_size else "")
            return guess(function, args, kwargs)
        except RuntimeError as error:
            raise self.explained(error, function.name(), (args, kwargs)) from None
        if isinstance(result, Tensor) and result.device.type not in AT_HOME:
            raise refuse_elsewhere(function.name(), result, self.device)
        follow_value(function, args, kwargs, result)
        return result

    def explained(self, error: RuntimeError, subject: str, given: Any, words: str = "") -> Exception:
        """What the device says in the place of a trace's own words, where a call mixes its tensors with the host's."""
        if isinstance(error, HostTensorError) or "device" not in str(error):
            return error
        mixed = self.host.explain(subject, leaves_of_call(given), self.device, words)
        return mixed or error

    def read_into_numpy(self, tensor: Tensor, *rest: Any, **named: Any) -> Any:
        """What `.numpy()` gives: no values are there, so ones; a device refuses it."""
        if tensor.device.type == phantom.NAME and not (named.get("force") or rest[:1] == (True,)):
            raise refuse_numpy(self.device)
        if phantom.value_of(tensor) is None:
            self.guesses.note("Tensor.numpy", self.places.here())
        with _disable_current_modes():
            return ones(tensor).numpy()


def _asked_for(name: str, leaves: list[Any]) -> frozenset[str]:
    """The dtypes that a call names, that its function is documented to compute in, and that new tensors have."""
    if name.rpartition(".")[2] in ALWAYS_DOUBLE:
        return NO_DOUBLE
    named = (name_of(leaf) for leaf in leaves if isinstance(leaf, torch.dtype))
    return frozenset((*named, name_of(torch.get_default_dtype())))


@cache
def _makes_from_tensors(function: Any) -> bool:
    """Whether an operator computes new tensors from others: neither makes views nor writes into what it is given."""
    arguments, returned = function._schema.arguments, function._schema.returns
    has_tensor = any("Tensor" in str(one.type) for one in arguments)
    return has_tensor and not any(one.alias_info is not None for one in (*arguments, *returned))


@cache
def _composite_key(name: str) -> Any:
    """The dispatch key of the kernel of an operator that is made of others, or None."""
    for key in COMPOSITE_KEYS:
        if torch._C._dispatch_has_kernel_for_dispatch_key(name, key):
            return getattr(torch._C.DispatchKey, key)
    return None
