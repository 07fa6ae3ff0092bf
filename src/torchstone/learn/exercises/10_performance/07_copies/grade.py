"""Grades copies: the copies that the dispatcher sees, and a device that works while the host makes the next record."""

import time
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_fast,
    expect_no_waits,
    note,
    pretend_device,
    raw,
    watch,
    watch_call,
)
from torchstone.pretend.machine import machine

PROMISES = {
    "A copy to the device has a price of its": None,
    "`work(uploaded record)`, a float32 scalar tensor on `device`, for each record": "results_come_back",
    "Here packing makes a new one each time, so that is safe.": "records_arrive",
    "Lean: one copy a record, and one back.": "one_copy_a_record",
    "Fast: as fast as the reference on an asynchronous device,": "nobody_waits",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SHAPES = {"image": (2, 3, 2), "label": (1,), "mask": (4,), "scale": (), "none": (0, 2)}
CPU = torch.device("cpu")
COPY, TO_COPY = torch.ops.aten.copy_.default, torch.ops.aten._to_copy.default
MANY = 130
RECORDS, OP_S, HOST_S = 5, 0.00005, 0.006
BYTES_PER_S = 10_000
"""A record of 64 bytes takes as long to arrive as the next one takes to be made."""
PACK = "Each copy has a price of its own: pack the record into one flat tensor, send that, and cut views out of it."
WAIT = "A blocking copy or a read in the loop waits for all earlier work: non_blocking=True, and one read at the end."


def record(draw: Draw, names: list[str]) -> dict[str, Tensor]:
    return {name: draw.on(CPU).normal(*SHAPES[name]) for name in names}


def strided(draw: Draw) -> dict[str, Tensor]:
    wide = draw.on(CPU).normal(4, 6)
    return {"turned": wide.T, "every other": wide[:, ::2], "row": wide[1]}


def total(uploaded: dict[str, Tensor]) -> Tensor:
    """The work of the checks: a few ops on the device."""
    return sum((place + 1) * value.square().sum() for place, value in enumerate(uploaded.values()))


def first_label(uploaded: dict[str, Tensor]) -> Tensor:
    """Hardly any work, for many records."""
    return uploaded["label"][0]


@check("solved")
def records_arrive(answer: Answer, draw: Draw) -> None:
    names = list(SHAPES)
    with pretend_device() as pretend:
        for device in (CPU, pretend):
            for wanted in (["label"], ["mask", "label"], names, names[::-1], ["none"], ["scale"]):
                expect_arrived(answer, record(draw, wanted), device)
            expect_arrived(answer, strided(draw), device)
            first, second = record(draw, ["image", "mask"]), record(draw, ["image", "mask"])
            kept = {name: value.clone() for name, value in first.items()}
            got = answer.upload(first, device)
            answer.upload(second, device)
            teach = "What was handed over must not be written to again: pack each record into a new tensor."
            what = "a record after the next one was uploaded"
            expect_close(got, kept, what=what, device=device, teach=teach)
            expect_arrived(answer, {}, device)


def expect_arrived(answer: Answer, sent: dict[str, Tensor], device: torch.device) -> None:
    teach = "The flat tensor is cut in the order in which it was packed, each part by its own size, in its own shape."
    kept = {name: value.clone() for name, value in sent.items()}
    got = answer.upload(sent, device)
    expect_close(got, kept, what=f"the record on {device.type}", device=device, teach=teach)
    expect(list(got) == list(kept), f"the names came back as {list(got)}", teach="Keep the order of the names.")
    for value in sent.values():
        value.fill_(-77.0)
    own = "Even a record of one tensor is packed into a new one: what was uploaded must not change with its source."
    expect_close(got, kept, what=f"the record on {device.type}, after its source was written to", teach=own)


@check("solved", teach="The iterable may be empty, and can be walked through only once.")
def results_come_back(answer: Answer, draw: Draw) -> None:
    with pretend_device() as pretend:
        for device in (CPU, pretend):
            for count in (0, 1, 4):
                records = [record(draw, ["image", "mask"]) for _ in range(count)]
                expected = [total(one).item() for one in records]
                got = raw(answer.process)(iter(records), device, total)
                expect_close(got, expected, what=f"the results of {count} records on {device.type}", rtol=1e-5)
                floats = all(type(one) is float for one in got)
                expect(floats, f"the results of {count} records are not Python floats", teach="Use tolist().")


class UnderWay(TorchDispatchMode):
    """Counts copies to the host that nobody waits for. (The pretend device waits all the same; CUDA does not.)"""

    count = 0

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = operator(*args, **(kwargs or {}))
        asked = dict(kwargs or {}) | ({"non_blocking": args[2]} if operator is COPY and len(args) > 2 else {})
        if operator in (COPY, TO_COPY) and asked.get("non_blocking") and result.is_cpu:
            self.count += not args[operator is COPY].is_cpu
        return result


@check("solved")
def results_are_waited_for(answer: Answer, draw: Draw) -> None:
    """Counted: what is copied to the host without blocking can be read only by who waits once more."""
    waits: list[float] = []
    wait_until = machine.clock.wait_until
    with pretend_device(asynchronous=True, op_seconds=OP_S) as device:
        machine.clock.wait_until = lambda moment: (waits.append(moment), wait_until(moment))[1]
        try:
            with UnderWay() as under_way:
                raw(answer.process)([record(draw, ["image", "mask"]) for _ in range(3)], device, total)
        finally:
            machine.clock.wait_until = wait_until
    teach = "A copy to the host with non_blocking=True is still under way when its numbers are read: block, or wait."
    hasty = under_way.count and len(waits) <= under_way.count
    expect(not hasty, "the results were read before they had arrived on the host", teach=teach)


@check("solved")
def large_results_come_back(answer: Answer, draw: Draw) -> None:
    teach = "What work returned comes back as it is: in float32 all the way, and without a bound."
    records = [{"label": draw.on(CPU).normal(1) * 10.0**power} for power in (-12, 0, 4, 12)]
    expected = [one["label"].item() for one in records]
    with pretend_device() as pretend:
        for device in (CPU, pretend):
            got = raw(answer.process)(records, device, lambda uploaded: uploaded["label"].sum())
            expect_close(got, expected, what=f"the results on {device.type}", rtol=1e-6, atol=0.0, teach=teach)


def copies(function: object, *args: object) -> int:
    """How often something crossed between host and device."""
    return len(watch_call(function, *args).crossings)


@check("lean")
def one_copy_a_record(answer: Answer, draw: Draw) -> None:
    with pretend_device() as device:
        sent = copies(answer.upload, record(draw, list(SHAPES)), device)
        expect(sent == 1, f"a record of {len(SHAPES)} tensors takes {sent} copies", teach=PACK)
        got = raw(answer.upload)(record(draw, ["image", "mask", "label"]), device)
        storages = {value.untyped_storage()._cdata for value in got.values()}
        teach = "The parts are views into the one tensor that was sent: split and view copy nothing."
        expect(len(storages) == 1, f"the parts of one record lie in {len(storages)} pieces of memory", teach=teach)
        records = [record(draw, ["image", "mask"]) for _ in range(6)]
        crossed = copies(answer.process, records, device, total)
        expect(
            crossed <= 7,
            f"6 records and their results take {crossed} copies; 6 there and 1 back are enough",
            teach="Stack the results on the device and read them once.",
        )
        note(f"{crossed} copies for 6 records")
        many = [record(draw, ["label"]) for _ in range(MANY)]
        crossed = copies(answer.process, many, device, first_label)
        again = "One copy back for all results, however many there are."
        expect(crossed <= MANY + 1, f"{MANY} records and their results take {crossed} copies", teach=again)


class SlowRecords:
    """Records that cost the host time, as decoding an image does."""

    def __init__(self, records: list[dict[str, Tensor]]) -> None:
        self.records = records

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        for one in self.records:
            time.sleep(HOST_S)
            yield one


def quick(records: SlowRecords, device: torch.device, work: object) -> list[float]:
    results = []
    for one in records:
        flat = torch.cat([value.reshape(-1) for value in one.values()]).to(device, non_blocking=True)
        parts = flat.split([value.numel() for value in one.values()])
        results.append(work({name: part.view(one[name].shape) for name, part in zip(one, parts, strict=True)}))
    return torch.stack(results).tolist()


def expect_device_is_fed(answer: Answer, device: torch.device, records: list[dict[str, Tensor]]) -> None:
    """Counted: when the host is asked for another record, the earlier ones are on their way."""
    sent = []

    def made_one_by_one() -> Iterator[dict[str, Tensor]]:
        for one in records:
            sent.append(len(seen.crossings))
            yield one

    with watch() as seen:
        raw(answer.process)(made_one_by_one(), device, total)
    behind = max(place - crossed for place, crossed in enumerate(sent))
    expect(
        behind <= 1,  # one record ahead is as good
        f"of {len(records)} records, {behind} were there at one time that had not been sent to the device",
        teach="The device works while the host makes the next record: send each one as soon as it is there.",
    )


@check("fast")
def nobody_waits(answer: Answer, draw: Draw) -> None:
    with pretend_device() as device:
        large = [{"image": draw.on(CPU).normal(300, 300), "mask": draw.on(CPU).normal(4)} for _ in range(3)]
        expect_no_waits(answer.process, large, device, total, at_most=1, teach=WAIT)
    with pretend_device(asynchronous=True, op_seconds=OP_S, transfer_bytes_per_s=BYTES_PER_S) as device:
        inputs = [
            (SlowRecords([record(draw, ["image", "mask"]) for _ in range(RECORDS)]), device, total) for _ in range(2)
        ]
        # Counted first, which a busy machine can't blur; the clock then finds what no count shows.
        expect_no_waits(
            answer.process, [record(draw, ["image", "mask"]) for _ in range(4)], device, total, at_most=1, teach=WAIT
        )
        expect_device_is_fed(answer, device, [record(draw, ["image", "mask"]) for _ in range(8)])
        expect_fast(answer.process, quick, inputs, ratio=1.2, budget_s=0.8, compare=False, teach=WAIT)
