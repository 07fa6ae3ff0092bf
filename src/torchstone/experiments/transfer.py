"""Transfers: host to device and back, by size, memory and number of pieces, and their share of a training step.

Each copy goes into memory that exists already, is timed from an idle device to an idle device (a copy that does not
block, too: the audit shows what it would seem to take without waiting), and its bytes are compared after it.

- host to device and device to host, 4 KiB to 256 MiB; pageable and pinned memory; blocking and not; the same bytes
  in one piece and in 256;
- within memory: a copy from the device's memory to the same memory. On the CPU that is all there is: nothing has to
  be transferred there;
- unified memory: whether a tensor that is moved still shares its bytes with the host's, and what the move costs
  beside a copy within the host's memory;
- training step: a small real step with and without the copy of its batch, in random-order pairs.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import msgspec
import torch
from torch import Tensor

from torchstone.backends import find_device
from torchstone.experiments import Plan
from torchstone.measuring.clock import Call, Clock
from torchstone.measuring.comparing import Comparison, compare_in_process
from torchstone.measuring.copying import BYTES_PER_ELEMENT, Copying, Memory, prepare
from torchstone.measuring.timing import complete_setup, measure, status_of
from torchstone.models.placing import plain_setup
from torchstone.records import Device, Finding, Measurement, Scalar, Setup, Status
from torchstone.scheduling.case import Case, Record, case
from torchstone.stats import PairedRatio
from torchstone.training.image_step import BATCH, prepare_image_step

OPTIONS: dict[str, dict[str, str]] = {}

KIB = 1024
MIB = 1024 * KIB
SIZES = (16 * MIB, 4 * KIB, 256 * MIB, 256 * KIB, 2 * MIB, 64 * MIB, 32 * KIB)
"""The most telling first: one that fills a bus, one that shows the fixed cost, one beyond every cache."""
LARGEST = max(SIZES)
PIECES = 256
PIECED_SIZES = (16 * MIB, 1 * MIB)
QUICK_COPIES = 4
"""Of a device in a quick round."""
CALLS_NEEDED = 16
"""For a median: the first call, three to learn how long it takes, one to warm up, five samples, and `CALLS_BESIDE`."""
CALLS_BESIDE = 6
"""Comparing the bytes twice takes about as long as so many copies."""
AUDIT_CALLS = 47
"""Four ways, eleven times each, and three calls to warm up and to size them."""
MOVED_BYTES = 16 * MIB
PAIRS_NEEDED = 13
"""For an interval: six pairs after three to warm up, and the calls that tell how long one takes."""


def cases(plan: Plan) -> Iterator[Case]:
    """A few copies on every device, what they cost a training step; then all sizes."""
    for device in plan.devices:
        copyings = _copyings(device)
        quick = len(copyings) if plan.is_deep else QUICK_COPIES
        for position, copying in enumerate(copyings[:quick]):
            rank = 3 if position < QUICK_COPIES else 6
            yield _case(_name_of(copying, device), device, partial(_copy, device, copying), rank, 0.4)
        yield _case("transfer/training step", device, partial(_training_step, device), 4, 0.6)
        if not _is_host(device):
            yield _case("transfer/unified memory", device, partial(_unified_memory, device), 4, 0.4)


def _case(name: str, device: Device, run: Callable[[float], Iterator[Record]], rank: int, weight: float) -> Case:
    return case(name, lambda turn: run(turn.left_s), setup=plain_setup(device), rank=rank, weight=weight)


def _is_host(device: Device) -> bool:
    return device.kind == "cpu"


def _copyings(device: Device) -> list[Copying]:
    """What to copy on this device, the most telling first."""
    within = [Copying(size, device.id, device.id) for size in SIZES]
    if _is_host(device):
        pieced = [Copying(size, device.id, device.id, pieces=PIECES) for size in PIECED_SIZES]
        return within[:3] + pieced + within[3:]
    ways = (("cpu", device.id), (device.id, "cpu"))
    plain = [Copying(size, *way) for size, way in product(SIZES, ways)]
    pieced = [Copying(size, *way, pieces=PIECES) for size, way in product(PIECED_SIZES, ways)]
    kinds: tuple[tuple[Memory, bool], ...] = (("pinned", False), ("pinned", True), ("pageable", False))
    special = [Copying(size, *way, *kind) for size, kind, way in product(SIZES, kinds, ways)]
    at_one_size = len(kinds) * len(ways)
    return [*plain[:4], *special[:at_one_size], *pieced, *plain[4:6], *within[:3], *plain[6:], *special[at_one_size:]]


def _name_of(copying: Copying, device: Device) -> str:
    """The same on every device; a copy within memory has no host's side that could be pinned."""
    size = _spell_size(copying.size_bytes)
    what = size if copying.pieces == 1 else f"{size} in {copying.pieces} pieces"
    if copying.source == copying.destination:
        return f"transfer/within memory/{what}"
    way = "host to device" if copying.destination == device.id else "device to host"
    return f"transfer/{way}/{what}/{copying.memory}{'' if copying.blocking else ', not blocking'}"


def _spell_size(size_bytes: int) -> str:
    return f"{size_bytes // MIB} MiB" if size_bytes >= MIB else f"{size_bytes // KIB} KiB"


def _copy(device: Device, copying: Copying, seconds: float) -> Iterator[Measurement]:
    """One copy: prepared, found affordable, timed and checked."""
    deadline = time.monotonic() + seconds
    name = _name_of(copying, device)
    try:
        copier = prepare(copying)
        call_s = _time_call(copier, device, seconds / 4)
    except Exception as error:  # the exception is the result
        yield _failed(name, device, error)
        return
    left_s = deadline - time.monotonic()
    if call_s * CALLS_NEEDED > left_s:
        yield _too_slow(name, device, call_s, CALLS_NEEDED, left_s)
        return
    audits = not _is_host(device) and call_s * (CALLS_NEEDED + AUDIT_CALLS) < left_s
    spare_s = left_s - call_s * (CALLS_BESIDE + (AUDIT_CALLS if audits else 0))
    found = measure(
        copier,
        name=name,
        device=device.id,
        setup=_setup(),
        budget_s=max(spare_s, left_s / 4),
        audit=audits,
        verify=copier.disagreement,
    )
    yield _with_facts(found, copying, device)


def _setup() -> Setup:
    return Setup(dtype="float32")


def _time_call(call: Call, device: Device, patience_s: float) -> float:
    """Seconds a call: the least of three, as the first touches memory for the first time; of fewer if they are slow."""
    backend, _ = find_device(device.id)
    clock = Clock(backend, device.id)
    seconds = [clock.time_synchronized(call)[0]]
    while len(seconds) < 3 and sum(seconds) < patience_s:
        seconds.append(clock.time_synchronized(call)[0])
    return min(seconds)


def _with_facts(found: Measurement, copying: Copying, device: Device) -> Measurement:
    facts: dict[str, Scalar] = {
        **found.facts,
        "items": copying.size_bytes,
        "item": "bytes",
        "pieces": copying.pieces,
        "memory": copying.memory,
        "blocking": copying.blocking,
    }
    if _is_host(device):
        facts["note"] = "nothing has to be transferred on the CPU: a copy within its memory"
    return msgspec.structs.replace(found, facts=facts)


def _failed(name: str, device: Device, error: Exception) -> Measurement:
    return _without(name, device, *status_of(error))


def _too_slow(name: str, device: Device, call_s: float, calls: int, seconds: float) -> Measurement:
    reason = f"a call takes {call_s:.3g} s and {calls} are needed; there are {max(seconds, 0.0):.3g} s left"
    return _without(name, device, "skipped", reason)


def _without(name: str, device: Device, status: Status, reason: str) -> Measurement:
    return Measurement(name=name, setup=complete_setup(_setup(), device.id), unit="s", status=status, reason=reason)


def _unified_memory(device: Device, seconds: float) -> Iterator[Record]:
    """Moving a tensor to the device beside copying it within the host's memory."""
    names = ("transfer/unified memory/copy within the host", "transfer/unified memory/move to the device")
    try:
        host = torch.arange(MOVED_BYTES // BYTES_PER_ELEMENT, dtype=torch.float32)
        shared = _shares_bytes(host[:KIB].clone(), device)
        move = partial(host.to, device.id)
        call_s = _time_call(move, device, seconds / 4)
    except Exception as error:  # the exception is the result
        yield _failed(names[1], device, error)
        return
    if 2 * call_s * PAIRS_NEEDED > seconds:
        yield _too_slow(names[1], device, call_s, 2 * PAIRS_NEEDED, seconds)
        return
    found = compare_in_process(host.clone, move, device=device.id, names=names, setup=_setup(), budget_s=seconds)
    arrived = torch.equal(move().to("cpu"), host)
    yield from _both(found, MOVED_BYTES, "bytes", None if arrived else "other bytes arrived on the device")
    if found.ratio is not None and arrived:
        yield _judge_unified(device, shared, found.ratio)


def _shares_bytes(host: Tensor, device: Device) -> bool:
    """Whether a change on the host shows in the tensor that was moved before."""
    moved = host.to(device.id)
    before = moved.to("cpu", copy=True)
    host.add_(1.0)
    return not torch.equal(moved.to("cpu"), before)


def _judge_unified(device: Device, shared: bool, ratio: PairedRatio) -> Finding:
    stated = {True: "unified", False: "its own", None: "not said to be unified or not"}[device.unified_memory]
    bytes_are = "shares its bytes with the host" if shared else "has bytes of its own"
    return Finding(
        kind="transfer",
        subject=f"unified memory, {device.id}",
        verdict="shared" if shared else "copied",
        level="ok" if shared else "note",
        tier="measured",
        evidence=(
            f"the device's memory is {stated}; a tensor moved to it {bytes_are}, and the move takes "
            f"{ratio.ratio:.3g} times as long as a copy within the host's memory"
        ),
        hint=None if shared else "a move is a copy here: make tensors on the device, or keep them there",
        facts={"device": device.id, "unified_memory": device.unified_memory, **_interval_facts(ratio)},
    )


def _training_step(device: Device, seconds: float) -> Iterator[Record]:
    """A small real step with the copy of its batch and without."""
    names = ("transfer/training step/without the copy", "transfer/training step/with the copy")
    try:
        step = prepare_image_step(device.id)
        call_s = _time_call(step.with_copy, device, seconds / 4)
        wrong = step.disagreement()
    except Exception as error:  # the exception is the result
        yield _failed(names[1], device, error)
        return
    if wrong is not None:
        yield _without(names[1], device, "wrong", wrong)
        return
    if 2 * call_s * PAIRS_NEEDED > seconds:
        yield _too_slow(names[1], device, call_s, 2 * PAIRS_NEEDED, seconds)
        return
    found = compare_in_process(
        step.resident, step.with_copy, device=device.id, names=names, setup=_setup(), budget_s=seconds
    )
    wrong = step.disagreement()
    yield from _both(found, BATCH, "images", wrong)
    if found.ratio is not None and wrong is None:
        yield _judge_share(device, found.ratio)


def _both(found: Comparison, items: int, item: str, wrong: str | None) -> Iterator[Measurement]:
    for one in (found.a, found.b):
        facts: dict[str, Scalar] = {**one.facts, "items": items, "item": item}
        if wrong is not None:
            yield msgspec.structs.replace(one, facts=facts, samples=(), status="wrong", reason=wrong)
        else:
            yield msgspec.structs.replace(one, facts=facts)


def _judge_share(device: Device, ratio: PairedRatio) -> Finding:
    share = 1.0 - 1.0 / ratio.ratio
    span = ratio.interval
    within = f" (95 %: {1 - 1 / span.low:.1%} to {1 - 1 / span.high:.1%})" if span else ""
    where = "a copy within memory, as nothing is transferred on the CPU" if _is_host(device) else "the batch's copy"
    return Finding(
        kind="transfer",
        subject=f"share of a training step, {device.id}",
        verdict={"slower": "costs time", "same": "costs nothing"}.get(ratio.verdict, "unclear"),
        level="ok" if ratio.verdict == "same" else "note",
        tier="measured",
        evidence=f"{where} takes {share:.1%}{within} of the time of a small convolutional network's training step",
        hint="pin the batches and copy the next one while this one trains" if ratio.verdict == "slower" else None,
        facts={"device": device.id, "share": share, **_interval_facts(ratio)},
    )


def _interval_facts(ratio: PairedRatio) -> dict[str, Scalar]:
    span = ratio.interval
    return {"ratio": ratio.ratio, "low": span.low if span else None, "high": span.high if span else None}
