"""On an asynchronous device, who tells the truth?

Why: most harnesses time the dispatch, not the work, on devices other than CUDA. The pretend device takes a known time
for an operator and returns at once; `measure` must report that time, and the sync audit what a harness without
synchronization would. The last line is one JSON document.

    python benchmarks/async_truth.py
"""

import json
from statistics import median

import torch

import torchstone.pretend as pretend
from torchstone.measuring.timing import measure

TRUE_S = 0.02
LIMIT = 10.0


def main() -> None:
    pretend.install()
    x = torch.ones(16, 16, device="pretend")
    with pretend.configure(asynchronous=True, slow={"aten::mm": TRUE_S}):
        found = measure(lambda: x @ x, device="pretend", budget_s=3.0)
    measured, unsynchronized = median(found.samples), median(found.audit["none"])
    print(
        json.dumps(
            {
                "benchmark": "async_truth",
                "true_s": TRUE_S,
                "measured_over_true": measured / TRUE_S,
                "true_over_unsynchronized": TRUE_S / unsynchronized,
                "within": abs(measured / TRUE_S - 1) < 0.1 and TRUE_S / unsynchronized >= LIMIT,
            }
        )
    )


if __name__ == "__main__":
    main()
