# rejected by: other_actions_move_nothing: alloc adds, free_completed takes off, and every other action changes
# "Other actions (`"segment_alloc"`, `"oom"`, …) move none.": segment_free does
"""What a memory snapshot says, in numbers."""

from collections import Counter
from collections.abc import Iterator
from typing import Any


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    live: dict[int, int] = {}
    older = used = most = 0
    for event in snapshot["device_traces"][device]:
        if event["action"] == "alloc":
            live[event["addr"]] = event["size"]
            used += event["size"]
        elif event["action"] in ("free_completed", "segment_free"):
            if live.pop(event["addr"], None) is None:
                older += event["size"]
            used -= event["size"]
        most = max(most, used)
    # `used` counts from the start of the recording: what was there by then comes on top, all the way.
    for block in _blocks_in_use(snapshot, device):
        older += block["size"] if block["address"] not in live else 0
    return older + most


def holders(snapshot: dict[str, Any]) -> dict[str, int]:
    """Requested bytes in use at the end, by the line that asked for them, the largest first."""
    held: Counter[str] = Counter()
    for block in _blocks_in_use(snapshot):
        held[_place(block["frames"])] += block["requested_size"]
    return dict(held.most_common())


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    stuck = 0
    for segment in snapshot["segments"]:
        free = sum(block["size"] for block in segment["blocks"] if block["state"] == "inactive")
        if segment["device"] == device and free < segment["total_size"]:
            stuck += free
    return stuck


def _blocks_in_use(snapshot: dict[str, Any], device: int | None = None) -> Iterator[dict[str, Any]]:
    for segment in snapshot["segments"]:
        if device in (None, segment["device"]):
            yield from (block for block in segment["blocks"] if block["state"] != "inactive")


def _place(frames: list[dict[str, Any]]) -> str:
    own = (frame for frame in frames if "/torch/" not in frame["filename"])
    return next((f"{frame['filename']}:{frame['line']}" for frame in own), "unknown")
