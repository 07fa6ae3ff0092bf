"""Do the atlas's verdicts on a real second device agree with what plain torch does there when asked by hand?

Why: a verdict goes through workers, samples and grading; a person who types the call sees none of that. Twenty calls
are written out below. Each is made on the device in a process of its own and compared with the CPU; of an operator
that the atlas calls `ok` it must be right. Where the atlas says otherwise, the program that it gives as a reproduction,
which is plain torch, must show it. Beside that, an atlas of the first operators must come to its end.

    python benchmarks/ops_by_hand.py --device vulkan [--quick] [--operators 100]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from torchstone.processes import python_command

CALLS = {
    "add": "torch.add(x, y, alpha=2)",
    "mul": "x * y",
    "exp": "x.exp()",
    "sigmoid": "torch.sigmoid(x)",
    "nn.functional.relu": "torch.nn.functional.relu(x - 0.5)",
    "nn.functional.gelu": "torch.nn.functional.gelu(x)",
    "softmax": "torch.softmax(x, 1)",
    "sum": "x.sum(0)",
    "mean": "x.mean(1)",
    "amax": "x.amax(1)",
    "argmax": "x.argmax(1)",
    "matmul": "x @ y.t()",
    "mm": "torch.mm(x, y.t())",
    "nn.functional.linear": "torch.nn.functional.linear(x, y)",
    "nn.functional.layer_norm": "torch.nn.functional.layer_norm(x, (6,))",
    "cat": "torch.cat([x, y], 1)",
    "transpose": "x.transpose(0, 1) + 1",
    "cumsum": "x.cumsum(1)",
    "where": "torch.where(x > y, x, y)",
    "linalg.eig": "torch.linalg.eig(x @ x.t()).eigenvalues.abs().sort()[0]",
}
PROGRAM = """
import sys
import torch
{load}
torch.manual_seed(0)
a, b = torch.rand(4, 6), torch.rand(4, 6)
def call(x, y):
    return {call}
right = call(a.double(), b.double())
got = call(a.to("{device}"), b.to("{device}")).cpu()
same = torch.equal(got, right) if not got.is_floating_point() else torch.allclose(got.double(), right, 1e-4, 1e-4)
sys.exit(0 if same else 3)
"""
SHOWN = {"wrong": "wrong", "unsupported": "raises", "dtype": "raises", "crash": "raises", "ok": "right"}


def by_hand(call: str, device: str, load: str) -> str:
    """What a person who types the call sees."""
    program = PROGRAM.format(call=call, device=device, load=load)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return {0: "right", 3: "wrong"}.get(done.returncode, "raises")


def atlas(device: str, patterns: list[str], *options: str) -> dict[str, Any]:
    """The document of `torchstone ops --json`."""
    command = python_command("torchstone", "ops", *patterns, "--device", device, "--dtype", "float32", *options)
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def is_reproduced(cell: dict[str, Any], run: str) -> bool:
    """Whether the program that the atlas gives shows the verdict, in plain torch."""
    command = python_command("torchstone", "ops", "show", cell["name"], "--dtype", "float32", "--run", run, "--repro")
    program = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if SHOWN.get(cell["verdict"]) == "raises":
        return done.returncode != 0
    return done.returncode == 0 and "cpu in float64" in done.stdout


def compare(cells: list[dict[str, Any]], run: str, device: str, load: str) -> list[dict[str, Any]]:
    """Each operator: the atlas's word beside the hand's."""
    rows = []
    for name, call in CALLS.items():
        own = [one for one in cells if one["name"] == name and one["direction"] == "forward"]
        cell = next((one for one in own if one["verdict"] != "ok"), own[0])
        seen = by_hand(call, device, load)
        agrees = seen == "right" if cell["verdict"] == "ok" else is_reproduced(cell, run)
        rows.append({"op": name, "atlas": cell["verdict"], "by_hand": seen, "agrees": agrees, "why": cell["reason"]})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="vulkan")
    parser.add_argument("--load", default="import torchvulkan", help="the line that brings the device")
    parser.add_argument("--operators", type=int, default=120, help="how many of the atlas, besides")
    parser.add_argument("--quick", action="store_true", help="the twenty alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = ("--runs", str(Path(folder)))
        document = atlas(options.device, list(CALLS), "--samples", "6", *place)
        rows = compare(document["cells"], document["run"], options.device, options.load)
        more = None if options.quick else atlas(options.device, _first(options.operators), "--samples", "3", *place)
    for row in rows:
        if not row["agrees"]:
            print(json.dumps(row))
    result: dict[str, Any] = {"benchmark": "ops_by_hand", "device": options.device, "operators": len(rows)}
    result |= {"agree": sum(row["agrees"] for row in rows), "not_ok": sum(row["atlas"] != "ok" for row in rows)}
    if more is not None:
        result |= {"atlas_operators": len({one["name"] for one in more["cells"]}), "left": more["left"]}
    print(json.dumps(result))


def _first(count: int) -> list[str]:
    from torchstone.ops.catalog import all_operators

    return list(dict.fromkeys(one.name for one in all_operators()))[:count]


if __name__ == "__main__":
    main()
