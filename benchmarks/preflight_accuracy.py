"""How well does preflight agree with PyTorch CI's own tables of what fails on MPS? float32, forward and backward.

Why: a verdict without the device is worth what it is known to miss. The samples of each OpInfo are traced as a model
would be, on the phantom, and judged without CI's tables, which are the truth here. Rules were developed on the half
`developed`; only `held_out` counts.

`forward` asks whether a call runs. `backward` asks whether a training step with it does, of operators that have a
gradient: CI's failures there are those of the forward pass and those of its gradient table, but for entries that are
no failure of the device: where the CPU gives no gradient either, or where the operator draws at random.
`backward_alone` are those among them whose forward pass CI sees pass.

    python benchmarks/preflight_accuracy.py                             # some minutes
    python benchmarks/preflight_accuracy.py --quick                     # every tenth operator
    python benchmarks/preflight_accuracy.py --half developed --verbose  # with the disagreements of that half
"""

import argparse
import json
import os
import pickle
import warnings
from collections import Counter
from typing import Any, get_args

import msgspec
import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_leaves

from opinfo_traces import sample_as_on_mps
from static_evidence import Half, half_of, truth
from torchstone.checking import phantom
from torchstone.checking.answer import Answer
from torchstone.checking.places import Places
from torchstone.checking.preflight import judge_trace
from torchstone.checking.recording import Recorder, Rewriting
from torchstone.checking.trace import Trace
from torchstone.models.inputs import map_tensors
from torchstone.ops.operators import spread
from torchstone.ops.wheels.ci_tables import CiTables
from torchstone.ops.wheels.evidence import Evidence
from torchstone.ops.wheels.reading import gather

SAMPLES = 16
"""Of an operator, spread over all that it has: the first are often empty."""
FOUND = ("will_not_run", "falls_back")
Counts = Counter[tuple[str, str, str, str]]
"""By half, direction, truth and what was said."""


def say(info: Any, evidence: Evidence, holder: list[Recorder], train: bool) -> Answer | None:
    """The answer on the samples of one operator; None where nothing was traced."""
    with Places(nn.Module()) as places:
        holder.append(Recorder(places, "mps"))
        for sample in pick(info, train):
            places.phase = "forward"
            try:
                with phantom.PhantomMode(), Rewriting(holder[-1]), holder[-1]:
                    _trace(info, sample, places, train)
            except Exception:  # what was called before it is recorded
                continue
    calls = holder[-1].calls()
    return judge_trace(Trace(calls=calls), evidence) if calls else None


def pick(info: Any, train: bool) -> list[Any]:
    every = list(info.sample_inputs("cpu", torch.float32, requires_grad=train))
    return [every[number] for number in spread(len(every), SAMPLES)]


def _trace(info: Any, sample: Any, places: Places, train: bool) -> None:
    given = map_tensors((sample.input, sample.args, sample.kwargs), _placed)
    if "device" in given[2]:
        given[2]["device"] = "mps"  # as CI's own call on that device has it
    result = info(given[0], *given[1], **given[2])
    if train:
        outputs = _with_gradient(sample.output_process_fn_grad(result))
        places.phase = "backward"
        torch.autograd.backward(outputs, [torch.ones_like(one) for one in outputs])


def _placed(tensor: Tensor) -> Tensor:
    return phantom.place(tensor).requires_grad_(tensor.requires_grad)


def _with_gradient(value: Any) -> list[Tensor]:
    return [one for one in tree_leaves(value) if isinstance(one, Tensor) and one.requires_grad]


def has_gradient_on_cpu(info: Any) -> bool:
    """Whether some sample has one; what draws at random has none that two devices share."""
    operator = getattr(torch.ops.aten, info.name.rpartition(".")[2], None)
    overloads = [getattr(operator, name) for name in operator.overloads()] if operator is not None else []
    if "dropout" in info.name or any(torch.Tag.nondeterministic_seeded in one.tags for one in overloads):
        return False
    for sample in pick(info, True):
        try:
            outputs = _with_gradient(sample.output_process_fn_grad(info(sample.input, *sample.args, **sample.kwargs)))
            torch.autograd.backward(outputs, [torch.ones_like(one) for one in outputs])
        except Exception:  # not differentiable with these arguments
            continue
        if outputs:
            return True
    return False


def truth_of_training(tables: CiTables, key: str, info: Any) -> bool | None:
    """Whether CI expects a training step with it to fail for the device's sake; None where it does not judge."""
    forward = truth(tables, key, "float32")
    if forward is None or not info.supports_autograd or torch.float32 not in info.supported_backward_dtypes("mps"):
        return None
    if _holds(tables.gradient_skipped, key) or not has_gradient_on_cpu(info):
        return None
    return forward or _holds(tables.gradient_fails, key)


def _holds(table: dict[str, tuple[str, ...] | None], key: str) -> bool:
    dtypes = table.get(key, ())
    return dtypes is None or "float32" in dtypes


def judge_apart(info: Any, tables: CiTables, evidence: Evidence, holder: list[Recorder]) -> tuple[Counts, list[str]]:
    """In a forked process: some operators abort without data, which costs that one alone."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        told: list[str] = []
        found = pickle.dumps((judge(info, tables, evidence, holder, told), told))
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(found)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    if answer:
        counts, told = pickle.loads(answer)
        return counts, told
    return _count_lost(info, tables)


def _count_lost(info: Any, tables: CiTables) -> tuple[Counts, list[str]]:
    """Of an operator whose trace ended its process: nothing was seen of it."""
    key = info.name + info.variant_test_name
    forward = truth(tables, key, "float32")
    if forward is None:
        return Counter(), []
    directions = ["forward", *(["backward"] if info.supports_autograd else [])]
    fails = "fails" if forward else "passes"
    return Counter((half_of(key), one, fails, "unseen") for one in directions), [f"{half_of(key)}: {key} aborts"]


def judge(info: Any, tables: CiTables, evidence: Evidence, holder: list[Recorder], told: list[str]) -> Counts:
    """Of one operator: what CI says beside what preflight says."""
    counts: Counts = Counter()
    key = info.name + info.variant_test_name
    forward, training = truth(tables, key, "float32"), truth_of_training(tables, key, info)
    for direction, fails in (("forward", forward), ("backward", training)):
        if fails is None:
            continue
        try:
            answer = say(info, evidence, holder, direction == "backward")
        except Exception:  # its samples can't be made here
            answer = None
        said = answer.verdict if answer is not None else "unseen"
        directions = [direction, *(["backward_alone"] if direction == "backward" and not forward else [])]
        counts.update((half_of(key), one, "fails" if fails else "passes", said) for one in directions)
        if (said in FOUND if fails else said != "will_not_run") is False:
            first = answer.problems[0] if answer is not None and answer.problems else None
            why = f"{first.subject} {first.phase}: {first.reason}" if first is not None else ""
            told.append(f"{half_of(key)}: {direction} {'fails' if fails else 'passes'} but {said}: {key}: {why}")
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="every tenth operator")
    parser.add_argument("--half", choices=get_args(Half), help="one half alone")
    parser.add_argument("--verbose", action="store_true", help="the disagreements of the developed half")
    parser.add_argument("--failures", action="store_true", help="only operators that CI expects to fail")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

    torch.set_num_threads(1)
    sample_as_on_mps()
    facts = gather()
    assert facts.ci is not None
    evidence = Evidence(msgspec.structs.replace(facts, ci=None, op_infos=()), "mps")
    phantom.install()
    holder: list[Recorder] = []
    phantom.stop_at(evidence.overrides, lambda *given: holder[-1].whole(*given))
    counts: Counts = Counter()
    for info in op_db[:: 10 if options.quick else 1]:
        key = info.name + info.variant_test_name
        chosen = options.half in (None, half_of(key)) and (not options.failures or truth(facts.ci, key, "float32"))
        if chosen and torch.float32 in info.supported_dtypes("mps"):  # type: ignore[no-untyped-call]
            found, words = judge_apart(info, facts.ci, evidence, holder)
            counts += found
            for one in words:
                if options.verbose and one.startswith("developed"):
                    print(one, flush=True)
    halves = {half: _rows(counts, half) for half in get_args(Half) if options.half in (None, half)}
    print(json.dumps({"benchmark": "preflight_accuracy", "torch": facts.torch, "quick": options.quick, **halves}))


def _rows(counts: Counts, half: str) -> dict[str, dict[str, int]]:
    return {one: _row(counts, half, one) for one in ("forward", "backward", "backward_alone")}


def _row(counts: Counts, half: str, direction: str) -> dict[str, int]:
    def count(truth: str, *said: str) -> int:
        own = ((key, number) for key, number in counts.items() if key[:3] == (half, direction, truth))
        return sum(number for key, number in own if not said or key[3] in said)

    return {
        "failures": count("fails"),
        "found": count("fails", *FOUND),
        "failures_unknown": count("fails", "unknown", "unseen"),
        "passes": count("passes"),
        "false_alarms": count("passes", "will_not_run"),
        "passes_unknown": count("passes", "unknown", "unseen"),
    }


if __name__ == "__main__":
    main()
