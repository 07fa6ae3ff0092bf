"""What the facts of one torch say of one device, looked up by operator: is there a kernel, and what does CI expect."""

from collections import defaultdict
from functools import cached_property
from typing import Literal, NamedTuple

from torchstone.errors import UserError
from torchstone.ops.wheels import rules
from torchstone.ops.wheels.cells import Tier
from torchstone.ops.wheels.facts import Facts, KernelFacts
from torchstone.ops.wheels.op_infos import OpInfo
from torchstone.ops.wheels.refusals import COMPLEX, base_name

KEYS_OF_DEVICES = {"mps": "MPS", "cuda": "CUDA", "xpu": "XPU", "cpu": "CPU"}
_EXPLICIT = ("CompositeExplicitAutogradNonFunctional", "CompositeExplicitAutograd")
_XPU_ELSEWHERE = "Intel's kernels stand in torch-xpu-ops, whose table is in no wheel"
_DEEPEST = 8
"""How many generated or composite kernels may stand on each other; deeper is a circle."""

Kind = Literal["native", "fallback", "stub", "composite", "missing", "untold", "absent"]
Expectation = Literal["pass", "fail", "untold"]


class Status(NamedTuple):
    """Whether an operator has a kernel on the device, how that is known, and the words for it."""

    kind: Kind
    tier: Tier
    reason: str


class CiWord(NamedTuple):
    """What CI expects of an operator in a dtype; `everywhere` where the entry names no dtypes."""

    expectation: Expectation
    reason: str
    everywhere: bool = False


class Knowledge:
    """The facts of one torch, for one device."""

    def __init__(self, facts: Facts, device: str) -> None:
        self.facts = facts
        self.device = require_device(device)
        self.key = KEYS_OF_DEVICES[self.device]
        self._statuses: dict[str, Status] = {}

    @cached_property
    def overloads(self) -> dict[str, tuple[str, ...]]:
        """The overloads of each name, `add` → `add.Tensor`, `add.Scalar`, …; in-place forms have names of their own."""
        found: dict[str, list[str]] = defaultdict(list)
        for overload in self.facts.keys:
            found[overload.split(".")[0]].append(overload)
        return {name: tuple(members) for name, members in found.items()}

    @cached_property
    def _siblings(self) -> dict[str, tuple[str, ...]]:
        """The overloads that share a base name, in-place and out forms with them."""
        found: dict[str, list[str]] = defaultdict(list)
        for overload in self.facts.keys:
            found[base_name(overload)].append(overload)
        return {name: tuple(members) for name, members in found.items()}

    @cached_property
    def _by_struct(self) -> dict[str, str]:
        """The overload of each at::_ops struct: `add_Tensor` is `add.Tensor`."""
        return {overload.replace(".", "_"): overload for overload in self.facts.keys}

    @cached_property
    def _infos(self) -> dict[str, list[OpInfo]]:
        found: dict[str, list[OpInfo]] = defaultdict(list)
        for info in self.facts.op_infos:
            if info.key not in rules.SAMPLES_ELSEWHERE:
                found[info.aten_name].append(info)
        return found

    @cached_property
    def _infos_of_functions(self) -> dict[str, list[OpInfo]]:
        found: dict[str, list[OpInfo]] = defaultdict(list)
        for info in self.facts.op_infos:
            found[plain_name(info.key.removesuffix(info.variant))].append(info)
        return found

    def kernel(self, operator: str) -> KernelFacts | None:
        """What the library shows of the operator's MPS kernel, where it was read."""
        library = self.facts.library
        return library.mps.get(operator) if library is not None and self.device == "mps" else None

    def status(self, operator: str, depth: int = 0) -> Status:
        """Whether an overload has a kernel on the device."""
        if depth > _DEEPEST:
            return Status("untold", "yaml", f"{operator} stands on a circle of generated kernels")
        if operator not in self._statuses:
            self._statuses[operator] = self._find_status(operator, depth)
        return self._statuses[operator]

    def _find_status(self, operator: str, depth: int) -> Status:
        if operator not in self.facts.keys and self.kernel(operator) is None:
            return Status("absent", "yaml", f"torch {self.facts.torch} has no operator {operator}")
        own = self._own_kernel(operator)
        if own is not None:
            return own
        source = self.facts.made_from.get(operator)
        if source is not None:
            below = self.status(source, depth + 1)
            if below.kind == "missing":
                return self._missing(operator, over=source)
            return below._replace(reason=f"{operator} stands on {source}: {below.reason}")
        keys = self.facts.keys[operator]
        if "CompositeImplicitAutograd" in keys:
            return Status("composite", "yaml", f"{operator} is made of other operators and works where they do")
        if any(key in keys for key in _EXPLICIT):
            return self._status_of_explicit(operator, depth)
        return self._missing(operator)

    def _missing(self, operator: str, over: str = "") -> Status:
        if self.device == "xpu":
            return Status("untold", "yaml", _XPU_ELSEWHERE)
        subject = f"{operator} stands on {over}, which" if over else operator
        if self.facts.library is not None and self.device == "mps":
            return Status(
                "missing", "registrations", f"{subject} is registered for no MPS kernel in {self.facts.source}"
            )
        if self.facts.headers is not None and self.device == "mps":
            return Status("missing", "registrations", f"{subject} is neither in the yaml nor in the headers for MPS")
        return Status("missing", "yaml", f"{subject} has no {self.key} entry in native_functions.yaml")

    def _own_kernel(self, operator: str) -> Status | None:
        if self.device != "mps":
            native = self.key in self.facts.keys[operator]
            return Status("native", "yaml", f"native_functions.yaml has {self.key} for {operator}") if native else None
        return self._python_kernel(operator) or self._library_kernel(operator) or self._listed_kernel(operator)

    def _python_kernel(self, operator: str) -> Status | None:
        if operator in self.facts.python:
            return Status("native", "registrations", f"torch registers {operator} for MPS from Python")
        return None

    def _library_kernel(self, operator: str) -> Status | None:
        kernel = self.kernel(operator)
        if kernel is None:
            return None
        if kernel.kind == "cpu fallback":
            return Status("fallback", "registrations", f"the library registers the CPU fallback for {operator}")
        if kernel.kind == "error stub":
            return Status("stub", "registrations", f"the library registers {operator} only to raise an error")
        return Status("native", "registrations", f"the library registers {operator} for MPS")

    def _listed_kernel(self, operator: str) -> Status | None:
        """Without the library: the yaml, the headers beside it, and the rule for explicit fallbacks."""
        if self.facts.library is not None or operator not in self.facts.keys:
            return None
        if self.key in self.facts.keys[operator]:
            name = operator.split(".")[0]
            if self.facts.headers is not None and base_name(name) in map(base_name, (name, *self.facts.headers)):
                return Status("native", "registrations", f"the wheel's headers for MPS list {name}")
            return Status("native", "yaml", f"native_functions.yaml has MPS for {operator}")
        return self._ruled_fallback(operator)

    def _ruled_fallback(self, operator: str) -> Status | None:
        if operator not in rules.CPU_FALLBACKS or "MPS" in self.facts.keys[rules.NATIVE_BEHIND[operator]]:
            return None
        return Status("fallback", "registrations", f"MPSFallback.mm sends {operator} to the CPU, with a warning")

    def _status_of_explicit(self, operator: str, depth: int) -> Status:
        """A composite with its own backward: it fails where an operator of its own name that it calls is missing."""
        for sibling in self._own_parts(operator):
            below = self.status(sibling, depth + 1)
            if below.kind in ("missing", "stub"):
                return self._missing(operator, over=sibling) if below.kind == "missing" else below
            if below.kind in ("native", "fallback", "untold"):
                return below._replace(reason=f"{operator} stands on {sibling}: {below.reason}")
        return Status("composite", "yaml", f"{operator} is made of other operators and works where they do")

    def _own_parts(self, operator: str) -> tuple[str, ...]:
        """The overloads of the same base name that a composite calls."""
        siblings = self._siblings.get(base_name(operator), ())
        library = self.facts.library
        if library is not None and operator in library.calls and self.device == "mps":
            called = {self._by_struct.get(name) for name in library.calls[operator]}
            return tuple(one for one in siblings if one in called and one != operator)
        # Without the library: likely the one that has kernels elsewhere. What is generated was followed before this.
        if "CompositeExplicitAutogradNonFunctional" in self.facts.keys[operator]:
            return ()
        plain = [one for one in siblings if not set(_EXPLICIT) & set(self.facts.keys[one]) and one != operator]
        with_kernels = [one for one in plain if {"CPU", self.key} & set(self.facts.keys[one])]
        has_native = any(self.key in self.facts.keys[one] for one in siblings)
        implicit = any("CompositeImplicitAutograd" in self.facts.keys[one] for one in siblings)
        return () if has_native or implicit else tuple(with_kernels[:1])

    def hides_parts(self, operator: str) -> bool:
        """Whether it is an explicit composite, and no operator of its base name has a kernel on any device."""
        keys = self.facts.keys
        if not set(_EXPLICIT) & set(keys[operator]) or self.status(operator).kind != "composite":
            return False
        return not any({"CPU", "CUDA", self.key} & set(keys[one]) for one in self._siblings[base_name(operator)])

    def missing_parts(self, operator: str) -> list[str]:
        """The operators that a composite may call and that have no kernel on the device.

        The library shows its calls; without it, the operator of the same name with an underscore (`_linalg_eigh`) is
        taken for one, and that which tells an error instead of raising it (`linalg_ldl_factor_ex`). Only what CPU and
        CUDA both have counts: `mkldnn_…` and the like are never called elsewhere.
        """
        library = self.facts.library
        if library is not None and self.device == "mps":
            parts = [self._by_struct.get(name, "") for name in library.calls.get(operator, ())]
        else:
            name, dot, overload = operator.partition(".")
            parts = [f"_{name}{dot}{overload}", f"_{name}", f"{name}_ex{dot}{overload}", f"{name}_ex"]
        return [one for one in parts if self._is_general(one) and self.status(one).kind in ("missing", "stub")]

    def _is_general(self, operator: str) -> bool:
        keys = self.facts.keys.get(operator, ())
        return {"CPU", "CUDA"} <= set(keys) or bool(set(keys) & set(_EXPLICIT))

    def ci_forward(self, operator: str, dtype: str) -> CiWord:
        """What CI expects of the samples of an operator, on this device in this dtype."""
        infos = [one for one in self._infos.get(base_name(operator), ()) if self.device in one.dtypes]
        if not infos or self.device == "xpu":
            return CiWord("untold", "PyTorch's CI has no samples for it")
        if self.device != "mps":
            return self._claimed(infos, dtype)
        words = [self._ci_word(one, dtype) for one in infos]
        failing = [word for word in words if word.expectation == "fail"]
        if failing:
            return failing[0] if len(failing) == len(words) else failing[0]._replace(everywhere=True)
        return _common_pass([self._ci_word(one, dtype) for one in infos if dtype in one.dtypes["mps"]])

    def ci_function(self, function: str, dtype: str) -> CiWord:
        """What CI expects on MPS of all samples of a function of torch: `nn.functional.linear`, `Tensor.square`."""
        infos = self._infos_of_functions.get(plain_name(function), ()) if self.device == "mps" else ()
        words = [self._ci_word(one, dtype) for one in infos if dtype in one.dtypes.get("mps", ())]
        if words and all(word.expectation == "fail" for word in words):
            return words[0]
        return _common_pass(words)

    def ci_passing(self, operator: str, dtype: str) -> CiWord | None:
        """Of samples of which some fail and some pass on MPS: the word on one kind that passes."""
        infos = [one for one in self._infos.get(base_name(operator), ()) if self.device in one.dtypes]
        words = (self._ci_word(one, dtype) for one in infos)
        return next((word for word in words if word.expectation == "pass"), None) if self.device == "mps" else None

    def ci_passing_as(self, operator: str, dtype: str) -> str:
        """A function that comes down to the operator and that CI sees pass in this dtype; empty where none does."""
        others = rules.ALSO_SAMPLED_AS.get(base_name(operator), ())
        return next((one for one in others if self.ci_function(one, dtype).expectation == "pass"), "")

    def _claimed(self, infos: list[OpInfo], dtype: str) -> CiWord:
        """On CPU and CUDA, CI holds every OpInfo to exactly the dtypes that it claims."""
        claims = {dtype in one.dtypes[self.device] for one in infos}
        if claims == {True}:
            return CiWord("pass", f"PyTorch's CI runs {infos[0].label} in {dtype} on {self.device}")
        return CiWord(
            "fail" if claims == {False} else "untold", f"PyTorch's CI holds {infos[0].label} to refuse {dtype}"
        )

    def _ci_word(self, info: OpInfo, dtype: str) -> CiWord:
        tables = self.facts.ci
        if tables is None or dtype not in info.dtypes["mps"]:
            return CiWord("untold", f"PyTorch's CI does not run {info.label} in {dtype}")
        if _holds(tables.fails, info.key, dtype):
            everywhere = tables.fails[info.key] is None
            words = "" if everywhere else f" in {dtype}"
            return CiWord("fail", f"PyTorch's CI lists {info.label} as unimplemented on MPS{words}", everywhere)
        if _holds(tables.skipped, info.key, dtype) or _holds(tables.fails_for_other_reasons, info.key, dtype):
            return CiWord("untold", f"PyTorch's CI does not judge {info.label} in {dtype}")
        if dtype in COMPLEX and self._complex_fails(info.key):
            return CiWord("fail", f"PyTorch's CI expects {info.label} to fail in complex dtypes on MPS")
        return CiWord("pass", f"PyTorch's CI runs {info.label} on MPS in {dtype} and expects it to pass")

    def _complex_fails(self, key: str) -> bool:
        tables = self.facts.ci
        if tables is None:
            return False
        return (tables.complex_ok is not None and key not in tables.complex_ok) or key in (tables.complex_fails or ())

    def ci_backward(self, operator: str, dtype: str) -> CiWord:
        """What CI expects of the gradients of an operator's samples on MPS."""
        infos = self._infos.get(base_name(operator), [])
        tables = self.facts.ci
        if tables is None or self.device != "mps" or not infos:
            return CiWord("untold", "PyTorch's CI has no samples for its gradient")
        for info in infos:
            if _holds(tables.gradient_fails, info.key, dtype):
                return CiWord("fail", f"PyTorch's CI expects the gradient of {info.label} to fail on MPS")
        judged = dtype in rules.GRADIENT_DTYPES and all(
            dtype in one.gradient_dtypes
            and not _holds(tables.gradient_skipped, one.key, dtype)
            and self._ci_word(one, dtype).expectation == "pass"
            for one in infos
        )
        if judged:
            return CiWord("pass", f"PyTorch's CI compares the gradient of {infos[0].label} on MPS in {dtype}")
        return CiWord("untold", f"PyTorch's CI does not judge its gradient in {dtype}")


def require_device(device: str) -> str:
    """A device that a wheel speaks of, without its index."""
    name = device.split(":")[0].lower()
    if name == "rocm":
        return "cuda"
    if name not in KEYS_OF_DEVICES:
        known = ", ".join(KEYS_OF_DEVICES)
        raise UserError(f"torch's files say nothing of the device {device!r}", f"they speak of {known}")
    return name


def plain_name(function: str) -> str:
    """Of a function, a method or an OpInfo: where it is found, taken off."""
    return function.removeprefix("nn.").removeprefix("functional.").removeprefix("Tensor.")


def _common_pass(words: list[CiWord]) -> CiWord:
    """Of samples of several kinds that CI runs in a dtype: those that are not made in it say nothing of it."""
    is_common = bool(words) and all(word.expectation == "pass" for word in words)
    return words[0] if is_common else CiWord("untold", "PyTorch's CI does not say")


def _holds(table: dict[str, tuple[str, ...] | None], key: str, dtype: str) -> bool:
    if key not in table:
        return False
    dtypes = table[key]
    return dtypes is None or dtype in dtypes
