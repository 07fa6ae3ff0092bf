"""Each distinct call of one step, recorded on the CPU with its real values and replayed on the device, one by one.

A whole model tells where errors first show; single calls tell which operators are right, wrong, missing or sent to the
CPU, and their times. A call that crashes or hangs the device costs itself alone: it runs in a worker that is replaced.
What only the CPU runs (its flash attention, oneDNN's layers) is left out, because a device runs something else there.
"""

import json
import time
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from torchstone.backends import find_device
from torchstone.checking.answer import CheckFinding, Verdict
from torchstone.checking.building import Build
from torchstone.checking.losses import loss_of
from torchstone.checking.parity import FALLS_BACK, explain_difference, train_without_chance
from torchstone.checking.places import Places
from torchstone.checking.unwrapping import unwrap
from torchstone.models.inputs import move_inputs
from torchstone.processes import Limits, cut, run_spawned
from torchstone.records import Finding, Level, Line, Setup
from torchstone.scheduling import Case, Runner, Turn
from torchstone.scheduling.case import case

ONLY_ON_CPU = ("_for_cpu", "mkldnn", "_local_scalar_dense", "aten::empty", "aten::new_empty")
LIMIT_S = 30.0
MOST_BYTES = 4 << 30
"""Of recorded values, on disk."""
VERDICTS: dict[str, Verdict] = {"right": "runs", "falls back": "falls_back", "wrong": "wrong"}
"""Of a replayed call; what is missing, crashes or hangs will not run."""
HINT = "compute it on the CPU for now: .cpu() before, .to(x.device) after"


def replay(build: Build, device: str, folder: Path, *, train: bool = False) -> tuple[CheckFinding, ...]:
    """Record in a process of its own, which runs the person's code once; then replay in workers."""
    limits = Limits(seconds=1800.0)
    outcome = run_spawned(partial(record, build, str(folder), train), limits)
    outcome.raise_user_error()
    if outcome.ended != "returned":
        reason = outcome.error.message if outcome.error is not None else outcome.detail
        hint = "it fails on the CPU already: run it there first"
        return (CheckFinding(subject="the model", verdict="unknown", tier="measured", hint=hint, reason=reason),)
    found: list[Finding] = []
    runner = Runner(partial(provide, str(folder), device), partial(_keep, found))
    runner.run()
    listed = json.loads((folder / "calls.json").read_text(encoding="utf-8"))
    return tuple(_tell(one, listed[int(str(one.facts["number"]))]) for one in found)


def _keep(found: list[Finding], line: Line) -> None:
    if isinstance(line, Finding):
        found.append(line)


def record(build: Build, folder: str, train: bool) -> int:
    """Run one step on the CPU and keep each distinct call in the folder; gives how many there are."""
    model, inputs = build()
    model, _ = unwrap(model)
    model = model.cpu()
    train_without_chance(model) if train else model.eval()
    moved = move_inputs(inputs, "cpu")
    with Places(model) as places, torch.set_grad_enabled(train), _Calls(places, Path(folder)) as calls:
        output = model(*moved.args, **moved.kwargs)
        if train:
            places.phase = "backward"
            loss_of(output).backward()  # type: ignore[no-untyped-call]
    (Path(folder) / "calls.json").write_text(json.dumps(calls.listed), encoding="utf-8")
    return len(calls.listed)


class _Calls(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Saves the arguments of each distinct call before it is made."""

    def __init__(self, places: Places, folder: Path) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.listed: list[dict[str, Any]] = []
        self._places, self._folder = places, folder
        self._seen: dict[str, int] = {}
        self._bytes = 0

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = function.name()
        if function.namespace == "aten" and not function.is_view and not any(one in name for one in ONLY_ON_CPU):
            self._save(name, args, kwargs)
        return function(*args, **kwargs)

    def _save(self, name: str, args: Any, kwargs: Any) -> None:
        signature = repr((name, tree_map(_sign, (args, kwargs))))
        if signature in self._seen:
            self.listed[self._seen[signature]]["calls"] += 1
            return
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)]
        self._bytes += sum(tensor.nbytes for tensor in tensors)
        if self._bytes > MOST_BYTES or not tensors:
            return
        number = self._seen[signature] = len(self.listed)
        place = self._places.here()
        dtypes = sorted({str(tensor.dtype).removeprefix("torch.") for tensor in tensors})
        where = {"phase": place.phase, "module": place.module, "source": place.source}
        self.listed.append({"op": name, "calls": 1, "dtypes": dtypes, **where})
        torch.save((name, *tree_map(_pack, _on((args, kwargs), "cpu"))), self._folder / f"{number}.pt")


def _sign(leaf: Any) -> Any:
    return (tuple(leaf.shape), leaf.stride(), str(leaf.dtype)) if isinstance(leaf, Tensor) else leaf


def _on(value: Any, device: str, dtype: torch.dtype | None = None) -> Any:
    """A copy with every tensor on the device, in the same strides."""

    def move(leaf: Any) -> Any:
        if isinstance(leaf, torch.device):
            return torch.device(device)
        if not isinstance(leaf, Tensor):
            return dtype if dtype is not None and leaf in (torch.float32, torch.float16, torch.bfloat16) else leaf
        wanted = dtype if dtype is not None and leaf.is_floating_point() else leaf.dtype
        if 0 in leaf.stride() or leaf.layout is not torch.strided:
            return leaf.detach().to(device=device, dtype=wanted, copy=True)
        moved = torch.empty_strided(leaf.shape, leaf.stride(), dtype=wanted, device=device)
        return moved.copy_(leaf.detach())

    return tree_map(move, value)


def _pack(leaf: Any) -> Any:
    """A memory format can't be pickled; its name can."""
    return str(leaf) if isinstance(leaf, torch.memory_format) else leaf


def _unpack(leaf: Any) -> Any:
    named = isinstance(leaf, str) and leaf.startswith("torch.") and leaf.endswith(("_format", "_last", "_last_3d"))
    return getattr(torch, leaf.removeprefix("torch.")) if named else leaf


def provide(folder: str, device: str) -> Iterator[Case]:
    """The cases of a worker."""
    for number, listed in enumerate(json.loads((Path(folder) / "calls.json").read_text(encoding="utf-8"))):
        lost = _finding(listed["op"], number, "lost", "")
        yield case(
            f"replay/{number}",
            partial(_replay, folder, number, device),
            setup=Setup(device=device),
            is_timed=False,
            limit_s=LIMIT_S,
            finding=lost,
        )


def _finding(op: str, number: int, verdict: str, evidence: str, **facts: Any) -> Finding:
    level: Level = "ok" if verdict == "right" else "problem"
    told = {"number": number, **facts}
    return Finding(
        kind="replay", subject=op, verdict=verdict, level=level, tier="measured", evidence=evidence, facts=told
    )


def _replay(folder: str, number: int, device: str, turn: Turn) -> Iterator[Finding]:
    name, *given = torch.load(Path(folder) / f"{number}.pt", weights_only=False)
    args, kwargs = tree_map(_unpack, given)
    function = _find(name)
    backend, found = find_device(device)
    torch.set_warn_always(True)
    own, cpu_s = _timed(function, args, kwargs, "cpu")
    try:
        exact, _ = _timed(function, args, kwargs, "cpu", torch.float64)
    except Exception:  # what can't be had in float64 is compared with the CPU as it is
        exact = own
    try:
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            got, device_s = _timed(function, args, kwargs, found.id)
            backend.synchronize(found.id)
    except Exception as error:  # the exception is the result
        verdict = "missing" if isinstance(error, NotImplementedError) else "fails"
        yield _finding(name, number, verdict, cut(" ".join(str(error).split()), 400))
        return
    reason = next((one for one in map(explain_difference, got, own, exact) if one is not None), None)
    fell = any(FALLS_BACK.search(str(one.message)) for one in warned)
    random = torch.Tag.nondeterministic_seeded in function.tags
    verdict = "wrong" if reason is not None and not random else "falls back" if fell else "right"
    yield _finding(name, number, verdict, reason or "", cpu_s=cpu_s, device_s=device_s)


def _find(name: str) -> Any:
    base, _, overload = name.removeprefix("aten::").partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


def _timed(function: Any, args: Any, kwargs: Any, device: str, dtype: torch.dtype | None = None) -> Any:
    args, kwargs = _on((args, kwargs), device, dtype)
    began = time.perf_counter()
    result = function(*args, **kwargs)
    read = [leaf.detach().cpu() for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
    return read, time.perf_counter() - began


def _tell(found: Finding, listed: dict[str, Any]) -> CheckFinding:
    verdict = VERDICTS.get(found.verdict, "will_not_run")
    return CheckFinding(
        subject=listed["op"].split(".")[0],
        verdict=verdict,
        tier="measured",
        phase=listed["phase"],
        dtypes=tuple(listed["dtypes"]),
        calls=listed["calls"],
        module=listed["module"],
        source=listed["source"],
        hint="" if verdict == "runs" else HINT,
        reason=f"{found.verdict}: {found.evidence}".rstrip(": "),
    )
