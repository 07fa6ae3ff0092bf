"""How well does preflight agree with PyTorch CI's own tables of what fails on MPS? Forward, float32.

Why: a verdict without the device is worth what it is known to miss. The samples of each OpInfo are traced as a model
would be, on the phantom, and judged without CI's tables, which are the truth here. Rules were developed on the half
`developed`; only `held_out` counts. CI hardly judges backward passes on MPS, so nothing is claimed of them.

    python benchmarks/preflight_accuracy.py            # some minutes
    python benchmarks/preflight_accuracy.py --quick    # every tenth operator
"""

import argparse
import json
import warnings
from collections import Counter
from typing import Any

import msgspec
import torch
from torch import nn

from opinfo_traces import sample_as_on_mps
from static_evidence import half_of, truth
from torchstone.checking import phantom
from torchstone.checking.places import Places
from torchstone.checking.preflight import judge_trace
from torchstone.checking.recording import Recorder, Rewriting
from torchstone.checking.trace import Trace
from torchstone.models.inputs import map_tensors
from torchstone.ops.wheels.evidence import Evidence
from torchstone.ops.wheels.reading import gather

SAMPLES = 8


def say(info: Any, evidence: Evidence, recorder: Recorder) -> str:
    """The verdict on the samples of one operator."""
    for sample in list(info.sample_inputs("cpu", torch.float32))[:SAMPLES]:
        with phantom.PhantomMode(), Rewriting("mps", recorder), recorder:
            given = map_tensors((sample.input, sample.args, sample.kwargs), phantom.place)
            try:
                info(given[0], *given[1], **given[2])
            except Exception:  # what was called before it is recorded
                continue
    calls = recorder.calls()
    return judge_trace(Trace(calls=calls), evidence).verdict if calls else "unseen"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="every tenth operator")
    parser.add_argument("--verbose", action="store_true", help="the disagreements of the developed half")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

    sample_as_on_mps()
    facts = gather()
    assert facts.ci is not None
    evidence = Evidence(msgspec.structs.replace(facts, ci=None, op_infos=()), "mps")
    phantom.install()
    holder: list[Recorder] = []
    phantom.stop_at(evidence.overrides, lambda *given: holder[-1].whole(*given))
    counts: Counter[tuple[str, str, str]] = Counter()
    for info in op_db[:: 10 if options.quick else 1]:
        key = info.name + info.variant_test_name
        fails = truth(facts.ci, key, "float32")
        if fails is None or torch.float32 not in info.supported_dtypes("mps"):  # type: ignore[no-untyped-call]
            continue
        with Places(nn.Module()) as places:
            holder.append(Recorder(places))
            try:
                said = say(info, evidence, holder[-1])
            except Exception:  # its samples can't be made here
                said = "unseen"
        counts[half_of(key), "fails" if fails else "passes", said] += 1
        if options.verbose and half_of(key) == "developed" and (said == "will_not_run") != fails:
            print(f"{'fails' if fails else 'passes'} but {said}: {key}")
    halves = {half: _row(counts, half) for half in ("developed", "held_out")}
    print(json.dumps({"benchmark": "preflight_accuracy", "torch": facts.torch, "quick": options.quick, **halves}))


def _row(counts: Counter[tuple[str, str, str]], half: str) -> dict[str, int]:
    def count(truth: str, *said: str) -> int:
        return sum(
            number for key, number in counts.items() if key[:2] == (half, truth) and (not said or key[2] in said)
        )

    return {
        "failures": count("fails"),
        "found": count("fails", "will_not_run", "falls_back"),
        "failures_unknown": count("fails", "unknown", "unseen"),
        "passes": count("passes"),
        "false_alarms": count("passes", "will_not_run"),
        "passes_unknown": count("passes", "unknown", "unseen"),
    }


if __name__ == "__main__":
    main()
