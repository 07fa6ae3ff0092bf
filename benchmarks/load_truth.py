"""Do proven rates hold? Each is run again for 15 s, as it is and at 125 %: the first should be VALID, the second not.

    python benchmarks/load_truth.py [--quick]

The last line is one JSON document.
"""

import argparse
import json
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from torchstone.backends import find_device
from torchstone.experiments import Plan, load
from torchstone.loadgen import Rules, run_load
from torchstone.models.placing import using_threads
from torchstone.records import Finding
from torchstone.scheduling.case import Turn

OVERLOAD = 1.25
BOUNDS_S = (0.1, 0.05, 0.02, 0.2)
"""In turns, until ten rates are proven: where nothing was, nothing can be run again."""


def find_proven(bound_s: float, seconds: float) -> float | None:
    """The rate that the experiment calls proven."""
    plan = Plan((find_device("cpu")[1],), options={"latency-bound": bound_s})
    case = next(case for case in load.cases(plan) if case.listing.name.endswith("/Server"))
    finding = list(case.run(Turn(seconds)))[-1]
    rate = finding.facts["rate"] if isinstance(finding, Finding) else None
    return float(rate) if isinstance(rate, int | float) else None


def holds(rate: float, bound_s: float, seconds: float) -> bool:
    """LoadGen's own verdict of a run of its own, and that the queue did not grow."""
    ask = load._Ask(find_device("cpu")[1], load.SMALL_MODEL, None, bound_s)
    service = load._start(ask, "Server")
    assert isinstance(service, load.Service)
    with TemporaryDirectory() as folder, using_threads(1):
        verdict = run_load(service.serve, Rules("Server", rate, seconds, bound_s, most_waiting=20_000), Path(folder))
    return verdict.is_valid


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="Two rates, re-run for 5 s.")
    quick = parser.parse_args().quick
    wanted, again_s = (2, 5.0) if quick else (10, 15.0)
    rows: list[dict[str, object]] = []
    for bound_s in islice(cycle(BOUNDS_S), 2 * wanted):
        if sum(row["proven"] is not None for row in rows) == wanted:
            break
        rate = find_proven(bound_s, 30.0)
        row: dict[str, object] = {"bound_s": bound_s, "proven": rate}
        if rate is not None:
            row["valid"] = holds(rate, bound_s, again_s)
            row["valid at 125 %"] = holds(OVERLOAD * rate, bound_s, again_s)
        print(row, flush=True)
        rows.append(row)
    proven = [row for row in rows if row["proven"] is not None]
    valid, over = (sum(bool(row[name]) for row in proven) for name in ("valid", "valid at 125 %"))
    print(json.dumps({"proven": len(proven), "of": len(rows), "valid again": valid, "valid at 125 %": over}))


if __name__ == "__main__":
    main()
