# earns: solved
# Counter for the holders, accumulate for the peak
"""What a memory snapshot says, in numbers."""

from collections import Counter
from itertools import accumulate
from typing import Any


def peak_bytes(snapshot: dict[str, Any], device: int) -> int:
    """The most bytes that were in use at one time."""
    open_blocks: set[int] = set()
    steps, start = [], 0
    for event in snapshot["device_traces"][device]:
        match event["action"]:
            case "alloc":
                open_blocks.add(event["addr"])
                steps.append(event["size"])
            case "free_completed":
                if event["addr"] in open_blocks:
                    open_blocks.remove(event["addr"])
                else:
                    start += event["size"]
                steps.append(-event["size"])
    for segment in filter(lambda segment: segment["device"] == device, snapshot["segments"]):
        start += sum(
            block["size"]
            for block in segment["blocks"]
            if block["state"] != "inactive" and block["address"] not in open_blocks
        )
    return max(accumulate(steps, initial=start))


def holders(snapshot: dict[str, Any]) -> dict[str, int]:
    """Requested bytes in use at the end, by the line that asked for them, the largest first."""
    held: Counter[str] = Counter()
    for segment in snapshot["segments"]:
        for block in segment["blocks"]:
            if block["state"] == "inactive":
                continue
            for frame in block["frames"]:
                if "/torch/" not in frame["filename"]:
                    held[f"{frame['filename']}:{frame['line']}"] += block["requested_size"]
                    break
            else:
                held["unknown"] += block["requested_size"]
    return dict(held.most_common())


def stuck_bytes(snapshot: dict[str, Any], device: int) -> int:
    """Free bytes in segments that cannot be returned."""
    total = 0
    for segment in snapshot["segments"]:
        states = {block["state"] for block in segment["blocks"]}
        if segment["device"] == device and states - {"inactive"}:
            total += sum(block["size"] * (block["state"] == "inactive") for block in segment["blocks"])
    return total
