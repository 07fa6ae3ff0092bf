# earns: solved
from itertools import accumulate, groupby


def _change(event):
    return {"alloc": event["size"], "free_completed": -event["size"]}.get(event["action"], 0)


def peak_bytes(snapshot, device):
    changes = [_change(event) for event in snapshot["device_traces"][device]]
    end = sum(
        block["size"]
        for segment in snapshot["segments"]
        for block in segment["blocks"]
        if segment["device"] == device and block["state"] != "inactive"
    )
    return max(accumulate(changes, initial=end - sum(changes)))


def holders(snapshot):
    rows = sorted(
        (
            next((f"{f['filename']}:{f['line']}" for f in b["frames"] if f["filename"].find("/torch/") < 0), "unknown"),
            b["requested_size"],
        )
        for s in snapshot["segments"]
        for b in s["blocks"]
        if b["state"] != "inactive"
    )
    sums = [(place, sum(size for _, size in group)) for place, group in groupby(rows, key=lambda row: row[0])]
    return dict(sorted(sums, key=lambda row: -row[1]))


def stuck_bytes(snapshot, device):
    return sum(
        b["size"]
        for s in snapshot["segments"]
        if s["device"] == device and {b["state"] for b in s["blocks"]} != {"inactive"}
        for b in s["blocks"]
        if b["state"] == "inactive"
    )
