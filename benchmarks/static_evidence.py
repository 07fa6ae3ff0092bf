"""How much of what fails on Apple's GPU does a wheel tell, and how often does it cry wolf?

Why: most projects can't test MPS at all, so a verdict without the device is the only one that they can have; it has to
be known how good it is. Three measures:

- `scores`: against PyTorch CI's own tables, which are kept from the evidence here. An OpInfo fails where a call of its
  trace does. Rules were developed on the half `developed`; only the half `held_out` counts. `unknown` is never a
  failure.
- `registrations`: the yaml of each release against the registrations in its library, operator by operator; of wheels
  on disk, also whether any other Python file registers kernels (`unlisted`).
- `known_answers`: cases of public threads (`known_answers.json`, each with its number), by whether a rule was developed
  on them.

The wheels are found by pip (about 100 MB each, read once and then kept), or taken from a folder.

    python benchmarks/static_evidence.py --torch 2.13 --wheels FOLDER
    python benchmarks/static_evidence.py --quick        # the installed torch's tables alone, no network
"""

import argparse
import hashlib
import json
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from opinfo_traces import DTYPES, trace_all
from torchstone.ops.wheels import python_registrations
from torchstone.ops.wheels.cells import FAILURES, Cell
from torchstone.ops.wheels.ci_tables import CiTables
from torchstone.ops.wheels.evidence import Evidence
from torchstone.ops.wheels.facts import Facts
from torchstone.ops.wheels.reading import gather
from torchstone.ops.wheels.rules import CPU_FALLBACKS

RELEASES = ("2.10.0", "2.11.0", "2.12.0", "2.13.0", "2.14.0", "2.15.0")
KNOWN_ANSWERS = Path(__file__).with_name("known_answers.json")
BARS = {"float32": (29, 3), "float16": (12, 5), "int64": (10, 4), "complex64": (23, 3)}
"""Found at least, and false alarms at most, among the held-out operators of torch 2.13."""
BARS_ARE_OF = "2.13.0"
Half = Literal["developed", "held_out"]
Said = Literal["fail", "ok", "unknown"]


def half_of(key: str) -> Half:
    """A fixed split of the OpInfos; variants in the same namespace may fall apart, equal names do not."""
    number = int(hashlib.md5(key.split(".")[-1].encode(), usedforsecurity=False).hexdigest(), 16)
    return "developed" if number % 2 == 0 else "held_out"


def truth(tables: CiTables, key: str, dtype: str) -> bool | None:
    """Whether CI expects the samples to raise on MPS; None where it does not judge."""
    if _holds(tables.skipped, key, dtype):
        return None
    if _holds(tables.fails_for_other_reasons, key, dtype):
        # Of those, only the linear algebra is marked for a missing part; the others are random or unequal.
        return True if key.startswith("linalg") and tables.fails_for_other_reasons[key] is None else None
    if _holds(tables.fails, key, dtype):
        return True
    supported = tables.complex_ok is None or key in tables.complex_ok
    return dtype == "complex64" and (not supported or key in (tables.complex_fails or ()))


def _holds(table: dict[str, tuple[str, ...] | None], key: str, dtype: str) -> bool:
    dtypes = table.get(key, ())
    return dtypes is None or dtype in dtypes


def say(evidence: Evidence, key: str, dtype: str, trace: dict[str, Any]) -> tuple[Said, str]:
    """What the evidence says of one OpInfo in one dtype, and why."""
    if trace["asks_for_doubles"]:
        return "fail", "its samples ask for float64"
    cells = list(_cells(evidence, key, dtype, trace))
    for cell in cells:
        if cell.verdict in FAILURES:
            return "fail", f"{cell.op}: {cell.tier}: {cell.reason}"
    unknown = [cell for cell in cells if cell.verdict == "unknown" and cell.likely != "ok"]
    return ("unknown", f"{unknown[0].op}: {unknown[0].reason}") if unknown else ("ok", "")


def _cells(evidence: Evidence, key: str, dtype: str, trace: dict[str, Any]) -> Iterator[Cell]:
    whole = evidence.function(key, dtype)
    name = key.removeprefix("nn.functional.").replace(".", "_")
    if whole is None and name in evidence.overrides:
        whole = evidence.cell(name, dtype)
    if whole is not None:
        yield whole
        return
    for name, inputs, outputs in trace["forward"]:
        yield evidence.call(name, inputs, outputs, within=key)


def score(facts: Facts, traces: dict[str, Any], verbose: bool) -> dict[Half, dict[str, dict[str, int]]]:
    """By half and dtype: CI's failures and passes, and what was said of them."""
    assert facts.ci is not None
    blind = Evidence(msgspec.structs.replace(facts, ci=None, op_infos=()), "mps")
    counts: Counter[tuple[Half, str, bool, Said]] = Counter()
    for key, by_dtype in traces.items():
        for dtype, trace in by_dtype.items():
            fails = truth(facts.ci, key, dtype)
            if fails is None or not trace["forward"]:
                continue
            said, why = say(blind, key, dtype, trace)
            counts[half_of(key), dtype, fails, said] += 1
            if verbose and half_of(key) == "developed" and said != ("fail" if fails else "ok"):
                print(f"{'fails' if fails else 'passes'} but {said}: {key} {dtype}: {why}", file=sys.stderr)
    halves: tuple[Half, ...] = ("developed", "held_out")
    return {half: {dtype: _row(counts, half, dtype) for dtype in DTYPES} for half in halves}


def _row(counts: Counter[tuple[Half, str, bool, Said]], half: Half, dtype: str) -> dict[str, int]:
    said: tuple[Said, ...] = ("fail", "ok", "unknown")
    return {
        "failures": sum(counts[half, dtype, True, one] for one in said),
        "found": counts[half, dtype, True, "fail"],
        "failures_unknown": counts[half, dtype, True, "unknown"],
        "passes": sum(counts[half, dtype, False, one] for one in said),
        "false_alarms": counts[half, dtype, False, "fail"],
        "passes_unknown": counts[half, dtype, False, "unknown"],
    }


def compare_registrations(facts: Facts) -> dict[str, Any]:
    """What the yaml says beside what the library registers."""
    assert facts.library is not None
    from_yaml = {one for one, keys in facts.keys.items() if "MPS" in keys}
    registered = set(facts.library.mps)
    unexplained = registered - from_yaml - set(CPU_FALLBACKS) - _stubs(facts)
    return {
        "yaml": len(from_yaml),
        "library": len(registered),
        "only_yaml": sorted(from_yaml - registered),
        "only_library": sorted(registered - from_yaml),
        "exact": from_yaml <= registered and not unexplained,
    }


def _stubs(facts: Facts) -> set[str]:
    assert facts.library is not None
    return {one for one, kernel in facts.library.mps.items() if kernel.kind != "kernel"}


def find_unlisted_registrations(path: Path) -> list[str]:
    """Operators that some Python file of a wheel registers for MPS and that the reader does not look into."""
    with zipfile.ZipFile(path) as archive:
        members = [
            name for name in archive.namelist() if name.endswith(".py") and name not in python_registrations.MEMBERS
        ]
        texts = (archive.read(name).decode("utf-8", "replace") for name in members)
        suspects = [text for text in texts if '"MPS"' in text and ".impl(" in text]
    return [one for text in suspects for one in python_registrations.read_python_registrations(text)]


def ask_known_answers(facts_of: dict[str, Facts]) -> dict[str, Any]:
    """How many public cases are answered right, by outcome, and apart by whether a rule was developed on them."""
    counts: dict[str, Counter[str]] = {"not_developed_on": Counter(), "developed_on": Counter()}
    misses = []
    for case in json.loads(KNOWN_ANSWERS.read_text(encoding="utf-8")):
        facts = facts_of.get(case["torch"])
        if facts is None:
            continue
        cell = Evidence(facts, "mps").cell(case["op"], case["dtype"], case.get("direction", "forward"))
        group = counts["developed_on" if case["developed_on"] else "not_developed_on"]
        group[case["outcome"]] += 1
        if cell.verdict == case["outcome"]:
            group[f"{case['outcome']}: right"] += 1
        elif cell.verdict == "unknown":
            group[f"{case['outcome']}: unknown"] += 1
        else:
            group[f"{case['outcome']}: wrong"] += 1
        if cell.verdict != case["outcome"]:
            misses.append({**case, "said": cell.verdict, "tier": cell.tier, "reason": cell.reason})
    return {**{name: dict(sorted(group.items())) for name, group in counts.items()}, "misses": misses}


def find(release: str, wheels: Path | None, *, deep: bool) -> Facts:
    """The facts of a release: from a wheel in the folder, else through pip."""
    found = on_disk(release, wheels)
    return gather(found[0] if found else release, deep=deep)


def on_disk(release: str, wheels: Path | None) -> list[Path]:
    return sorted(wheels.glob(f"torch-{release}-*macosx*arm64.whl")) if wheels is not None else []


def read_traces(path: Path | None, workers: int) -> dict[str, Any]:
    """Traces that were made before, or new ones, which are then kept there."""
    if path is not None and path.exists():
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found
    traces = trace_all(workers)
    if path is not None:
        path.write_text(json.dumps(traces), encoding="utf-8")
    return traces


def meets_bars(scores: dict[Half, dict[str, dict[str, int]]]) -> bool:
    rows = scores["held_out"]
    return all(
        rows[one]["found"] >= found and rows[one]["false_alarms"] <= alarms for one, (found, alarms) in BARS.items()
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", default=BARS_ARE_OF, help="the release whose CI tables are the truth")
    parser.add_argument("--wheels", type=Path, help="a folder with wheels for macOS; pip finds the others")
    parser.add_argument("--traces", type=Path, help="a file that keeps the traces of the samples")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="the installed torch's text tables only")
    parser.add_argument("--verbose", action="store_true", help="the disagreements of the developed half")
    options = parser.parse_args()
    release = options.torch if options.torch.count(".") == 2 else f"{options.torch}.0"
    facts = gather() if options.quick else find(release, options.wheels, deep=True)
    scores = score(facts, read_traces(options.traces, options.workers), options.verbose)
    result: dict[str, Any] = {"benchmark": "static_evidence", "torch": facts.torch, "deep": not options.quick}
    result |= {"scores": scores, "meets_bars": meets_bars(scores) if facts.torch == BARS_ARE_OF else None}
    if not options.quick:
        cases = json.loads(KNOWN_ANSWERS.read_text(encoding="utf-8"))
        releases = sorted({*RELEASES, *(case["torch"] for case in cases)})
        facts_of = {one: find(one, options.wheels, deep=True) for one in releases}
        result["registrations"] = {one: compare_registrations(facts_of[one]) for one in RELEASES}
        result["unlisted"] = {
            one: find_unlisted_registrations(path) for one in RELEASES for path in on_disk(one, options.wheels)
        }
        result["known_answers"] = ask_known_answers(facts_of)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
