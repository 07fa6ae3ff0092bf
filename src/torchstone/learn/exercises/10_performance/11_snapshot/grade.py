"""Grades snapshot: an allocator of our own takes and frees blocks, and knows at each moment what is in use."""

from dataclasses import dataclass, field
from typing import Any

from torchstone.learn.grading import Answer, Draw, check, expect, expect_same, looks_like

PROMISES = {
    "After torch.cuda.memory._record_memory_history() a snapshot": None,
    "what the allocator has got from the device, each with device": None,
    "for each device a list of events in order, with action, addr, size": "peaks_are_right",
    "frames is a list with the innermost call first": "holders_are_named",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

Snapshot = dict[str, Any]
ROUND = 512
"""The allocator rounds every request up to a multiple."""
SEGMENT = 20 * ROUND
ENDS_WELL = 30
"""From so many steps on the last that happens is that blocks are given back."""
LINES = [
    [("/home/ada/train.py", 31), ("/home/ada/main.py", 7)],
    [("/venv/torch/nn/modules/linear.py", 134), ("/home/ada/train.py", 44), ("/home/ada/main.py", 7)],
    [("/venv/torch/_tensor.py", 9), ("/venv/torch/optim/adam.py", 3), ("/home/ada/model.py", 5)],
    [("/venv/torchvision/ops.py", 12), ("/home/ada/model.py", 5)],
    [("/torch/csrc/autograd.py", 8), ("/home/ada/torch.py", 6), ("/home/ada/model.py", 5)],
    [("/home/torch/ada/run.py", 1), ("/home/ada/torch/run.py", 2), ("/home/ada/main.py", 9)],
    [("/venv/torch/autograd/graph.py", 2)],
    [],
]


@dataclass
class Allocator:
    """First fit, with splits; joins free neighbours. One device."""

    device: int
    draw: Draw
    segments: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    used: list[int] = field(default_factory=lambda: [0])
    """After every event, and before the first."""

    def take(self) -> None:
        request = self.draw.integer(1, 6 * ROUND)
        size = -(-request // ROUND) * ROUND
        segment, place = self._find(size) or self._grow(size)
        free = segment["blocks"][place]
        frames = [{"filename": name, "line": line, "name": "f"} for name, line in self.draw.choice(LINES)]
        taken = block(free["address"], size, "active_allocated", request, frames)
        rest = [block(free["address"] + size, free["size"] - size, "inactive")] if free["size"] > size else []
        segment["blocks"][place : place + 1] = [taken, *rest]
        self._tell("alloc", taken, size)

    def _find(self, size: int) -> tuple[dict[str, Any], int] | None:
        for segment in self.segments:
            for place, one in enumerate(segment["blocks"]):
                if one["state"] == "inactive" and one["size"] >= size:
                    return segment, place
        return None

    def _grow(self, size: int) -> tuple[dict[str, Any], int]:
        total = max(SEGMENT, size)
        address = (self.device + 1) * 2**32 + len(self.segments) * 2**20
        self.segments.append(
            {
                "device": self.device, "address": address, "total_size": total, "stream": 0,
                "blocks": [block(address, total, "inactive")],
            }
        )  # fmt: skip
        self._tell("segment_alloc", {"address": address, "size": total, "frames": []}, 0)
        return self.segments[-1], 0

    def ask_back(self) -> None:
        self._change("active_allocated", "active_awaiting_free", "free_requested", 0)

    def give_back(self) -> None:
        self._change("active_awaiting_free", "inactive", "free_completed", -1)

    def _change(self, old: str, new: str, action: str, sign: int) -> None:
        found = [one for segment in self.segments for one in segment["blocks"] if one["state"] == old]
        if not found:
            return
        one = self.draw.choice(found)
        one["state"] = new
        self._tell(action, one, sign * one["size"])
        if new == "inactive":
            one["frames"], one["requested_size"] = [], 0
            self._join()

    def _join(self) -> None:
        for segment in self.segments:
            joined: list[dict[str, Any]] = []
            for one in segment["blocks"]:
                if joined and joined[-1]["state"] == one["state"] == "inactive":
                    joined[-1]["size"] += one["size"]
                else:
                    joined.append(one)
            segment["blocks"] = joined

    def _tell(self, action: str, one: dict[str, Any], change: int) -> None:
        self.events.append(
            {
                "action": action, "addr": one["address"], "size": one["size"],
                "stream": 0, "frames": [dict(frame) for frame in one["frames"]],
            }
        )  # fmt: skip
        self.used.append(self.used[-1] + change)

    def work(self, steps: int) -> None:
        for _ in range(steps):
            self.draw.choice([self.take, self.take, self.ask_back, self.give_back, self.give_back])()

    def end_well(self) -> None:
        """Two more are taken, and then some are given back, so that the peak is not at the end."""
        for step in (self.take, self.take, self.ask_back, self.give_back, self.ask_back, self.give_back):
            step()


def block(
    address: int, size: int, state: str, requested: int = 0, frames: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    return {"address": address, "size": size, "requested_size": requested, "state": state, "frames": frames or []}


def draw_snapshot(draw: Draw, steps: int, late: bool, devices: int = 1) -> tuple[Snapshot, list[int]]:
    """A snapshot, and the true peak of each device."""
    traces, peaks, segments = [], [], []
    for device in range(devices):
        allocator = Allocator(device, draw)
        allocator.work(steps)
        if steps > ENDS_WELL:
            allocator.end_well()
        last = max(1, len(allocator.events) - 2)
        begin = min(draw.integer(1, last), len(allocator.events)) if late else 0
        traces.append(allocator.events[begin:])
        peaks.append(max(allocator.used[begin:]))
        segments += allocator.segments
    draw.random.shuffle(segments)
    return {"segments": segments, "device_traces": traces}, peaks


def without_history(snapshot: Snapshot, device: int) -> int:
    """What one gets who takes the first event for the beginning of the world."""
    used = peak = 0
    for event in snapshot["device_traces"][device]:
        used += {"alloc": 1, "free_completed": -1}.get(event["action"], 0) * event["size"]
        peak = max(peak, used)
    return peak


def with_requests(snapshot: Snapshot, device: int) -> int:
    used = peak = 0
    for event in snapshot["device_traces"][device]:
        used += {"alloc": 1, "free_requested": -1}.get(event["action"], 0) * event["size"]
        peak = max(peak, used)
    return peak


KNOWN = [
    looks_like(without_history, "Some blocks were in use before the first event: they count, too."),
    looks_like(with_requests, "A block that is only asked for is still in use, until free_completed."),
]


@check("solved")
def peaks_are_right(answer: Answer, draw: Draw) -> None:
    teach = "Walk along the events: alloc adds, free_completed takes off, all others change nothing."
    for steps in (1, 4, 12, 40, 40, 80):
        snapshot, peaks = draw_snapshot(draw, steps, late=False)
        expect_same(answer.peak_bytes, lambda _, __, peak=peaks[0]: peak, snapshot, 0, diagnose=KNOWN, teach=teach)
    asked_for = Allocator(0, draw)
    for step in (asked_for.take, asked_for.ask_back, asked_for.take):
        step()
    snapshot = {"segments": asked_for.segments, "device_traces": [asked_for.events]}
    expect_same(answer.peak_bytes, lambda _, __: max(asked_for.used), snapshot, 0, diagnose=KNOWN, teach=teach)
    empty = {"segments": [], "device_traces": [[]]}
    expect_same(answer.peak_bytes, lambda _, __: 0, empty, 0, teach="Nothing was taken: 0.")


@check("solved")
def late_recordings_are_understood(answer: Answer, draw: Draw) -> None:
    teach = (
        "What is given back without having been taken, and what is in use at the end without having been taken, was "
        "there from the start."
    )
    for steps in (6, 20, 20, 40, 60, 80):
        snapshot, peaks = draw_snapshot(draw, steps, late=True, devices=2)
        for device in (0, 1):
            expect_same(
                answer.peak_bytes, lambda _, __, peak=peaks[device]: peak, snapshot, device, diagnose=KNOWN, teach=teach
            )
    falling = Allocator(0, draw)
    for step in (*[falling.take] * 6, *[falling.ask_back] * 3):
        step()
    begin = len(falling.events)
    for _ in range(3):
        falling.give_back()
    peak = falling.used[begin]
    only_less = {"segments": falling.segments, "device_traces": [falling.events[begin:]]}
    before = "The peak may be the moment before the first event: what is given back was there from the start."
    expect_same(answer.peak_bytes, lambda _, __: peak, only_less, 0, diagnose=KNOWN, teach=before)
    old = Allocator(0, draw)
    old.work(30)
    old.take()
    old.ask_back()  # and is in use still
    silent = {"segments": old.segments, "device_traces": [[]]}
    expect_same(answer.peak_bytes, lambda _, __: old.used[-1], silent, 0, teach=teach)


def holders(snapshot: Snapshot, key: str = "requested_size", innermost: bool = False) -> dict[str, int]:
    held: dict[str, int] = {}
    for segment in snapshot["segments"]:
        for one in segment["blocks"]:
            if one["state"] == "inactive":
                continue
            frames = [frame for frame in one["frames"] if innermost or "/torch/" not in frame["filename"]]
            place = f"{frames[0]['filename']}:{frames[0]['line']}" if frames else "unknown"
            held[place] = held.get(place, 0) + one[key]
    return held


@check("solved")
def holders_are_named(answer: Answer, draw: Draw) -> None:
    rounded = looks_like(
        lambda snapshot: holders(snapshot, "size"), "These are the rounded sizes, not what was asked for."
    )
    inner = looks_like(
        lambda snapshot: holders(snapshot, innermost=True), "Everything is torch's then: whose call was it?"
    )
    teach = "Of every block that is not inactive: the first frame without /torch/ in its path, and its requested bytes."
    for steps, devices in ((1, 1), (6, 1), (20, 2), (60, 2), (80, 3)):
        snapshot, _ = draw_snapshot(draw, steps, late=False, devices=devices)
        got = expect_same(answer.holders, holders, snapshot, diagnose=[rounded, inner], teach=teach)
        sizes = list(got.values())
        expect(
            sizes == sorted(sizes, reverse=True), f"the holders come in the order {sizes}", teach="The largest first."
        )


def stuck(snapshot: Snapshot, device: int) -> int:
    return sum(
        sum(one["size"] for one in segment["blocks"] if one["state"] == "inactive")
        for segment in snapshot["segments"]
        if segment["device"] == device and any(one["state"] != "inactive" for one in segment["blocks"])
    )


def all_free(snapshot: Snapshot, device: int) -> int:
    return sum(
        one["size"]
        for segment in snapshot["segments"]
        for one in segment["blocks"]
        if segment["device"] == device and one["state"] == "inactive"
    )


def freed_wholly(allocator: Allocator) -> None:
    """One of its segments becomes free from end to end."""
    segment = allocator.segments[0]
    segment["blocks"] = [block(segment["address"], segment["total_size"], "inactive")]


@check("solved")
def stuck_bytes_are_right(answer: Answer, draw: Draw) -> None:
    known = looks_like(all_free, "A segment that is free from end to end can be returned: it is not stuck.")
    teach = "Free bytes are stuck where a block of the same segment is in use, or still awaits its end."
    for steps in (1, 12, 40, 60):
        allocators = [Allocator(device, draw) for device in range(2)]
        for one in allocators:
            one.work(steps)
            one.take()
            if steps > 12:
                freed_wholly(one)
        # A block that awaits its end is in use as any other.
        allocators[0].take()
        for _ in range(20 if steps == 12 else 0):
            allocators[0].ask_back()
        snapshot = {"segments": [part for one in allocators for part in one.segments], "device_traces": [[], []]}
        for device in (0, 1):
            expect_same(answer.stuck_bytes, stuck, snapshot, device, diagnose=[known], teach=teach)


@check("solved")
def other_actions_move_nothing(answer: Answer, draw: Draw) -> None:
    teach = "alloc adds, free_completed takes off, and every other action changes nothing, whatever it is called."
    for late in (False, True):
        snapshot, peaks = draw_snapshot(draw, 40, late=late)
        events = snapshot["device_traces"][0]
        for action in ("segment_free", "segment_map", "segment_unmap", "oom", "snapshot", "user_defined"):
            place = draw.integer(0, len(events))
            near = events[min(place, len(events) - 1)]
            events.insert(place, {**near, "action": action, "size": 50 * SEGMENT})
        expect_same(answer.peak_bytes, lambda _, __, peak=peaks[0]: peak, snapshot, 0, diagnose=KNOWN, teach=teach)


@check("solved")
def every_other_state_is_in_use(answer: Answer, draw: Draw) -> None:
    teach = "Only inactive is free: torch has more than one word for what is in use."
    for state in ("active_pending_free", "awaiting", "allocated"):
        snapshot, _ = draw_snapshot(draw, 20, late=False)
        segment = snapshot["segments"][0] if snapshot["segments"] else None
        if segment is None:
            continue
        address, frame = segment["address"], {"filename": "/home/ada/old.py", "line": 3, "name": "f"}
        segment["blocks"] = [
            block(address, ROUND, state, ROUND - 1, [frame]),
            block(address + ROUND, segment["total_size"] - ROUND, "inactive"),
        ]
        snapshot["device_traces"] = [[]]
        used = sum(one["size"] for part in snapshot["segments"] for one in part["blocks"] if one["state"] != "inactive")
        expect_same(answer.holders, holders, snapshot, teach=teach)
        expect_same(answer.stuck_bytes, stuck, snapshot, 0, teach=teach)
        expect_same(answer.peak_bytes, lambda _, __, used=used: used, snapshot, 0, teach=teach)
