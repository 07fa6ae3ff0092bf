# rejected by: late_recordings_are_understood: the result of peak_bytes is not what it should be
# blocks that were there before the recording and are in use at the end are not counted; promised: "or is in use at
# the end without that, was there from the start"
"""What a memory snapshot says, in numbers."""

from collections import Counter
from itertools import accumulate
from typing import Any


def _used(block: dict[str, Any]) -> bool:
    return block["state"] != "inactive"


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    traces = snapshot["device_traces"]
    taken: dict[int, int] = {}
    early = 0
    changes: list[int] = []
    for event in traces[device] if device < len(traces) else []:
        if event["action"] == "alloc":
            taken[event["addr"]] = event["size"]
            changes.append(event["size"])
        elif event["action"] == "free_completed":
            if taken.pop(event["addr"], None) is None:
                early += event["size"]
            changes.append(-event["size"])
    return max(accumulate(changes, initial=early))


def _place(block: dict[str, Any]) -> str:
    own = (
        f"{frame['filename']}:{frame['line']}"
        for frame in block.get("frames") or ()
        if "/torch/" not in frame["filename"]
    )
    return next(own, "unknown")


def holders(snapshot: dict[str, Any]) -> dict[str, int]:
    """Requested bytes in use at the end, by the line that asked for them, the largest first."""
    places: Counter[str] = Counter()
    for segment in snapshot["segments"]:
        for block in filter(_used, segment["blocks"]):
            places[_place(block)] += block["requested_size"]
    return dict(places.most_common())


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    return sum(
        block["size"]
        for segment in snapshot["segments"]
        if segment["device"] == device and any(map(_used, segment["blocks"]))
        for block in segment["blocks"]
        if not _used(block)
    )
