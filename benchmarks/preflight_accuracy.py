"""How well does preflight agree with PyTorch CI's own tables of what fails on MPS? float32, forward and backward.

Why: a verdict without the device is worth what it is known to miss. The samples of each OpInfo are traced as a model
would be, on the phantom, and judged without CI's tables, which are the truth here. Rules were developed on the half
`developed`; only `held_out` counts.

`forward` asks whether a call runs. `backward` asks whether a training step with it does, of operators that have a
gradient: CI's failures there are those of the forward pass and those of its gradient table, but for entries that are
no failure of the device: where the CPU gives no gradient either (or draws none for a sparse result, as CI does),
or where the operator draws at random. Each entry that is left out is printed with its reason.
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
from typing import Any, NamedTuple, get_args

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
from torchstone.checking.recording import Recorder
from torchstone.checking.rewriting import Rewriting
from torchstone.checking.trace import Trace
from torchstone.models.inputs import map_tensors
from torchstone.ops.operators import spread
from torchstone.ops.wheels.ci_tables import CiTables
from torchstone.ops.wheels.evidence import Evidence
from torchstone.ops.wheels.reading import gather

HERE = "cpu:0"
"""The device that samples are made on: told apart from `cpu`, which some name to mean the host beside the device."""
SAMPLES = 16
"""Of an operator, spread over all that it has: the first are often empty."""
FOUND = ("will_not_run", "falls_back")
Counts = Counter[tuple[str, str, str, str]]
"""By half, direction, truth and what was said."""


def say(info: Any, evidence: Evidence, holder: list[Recorder], train: bool) -> Answer | None:
    """The answer on the samples of one operator; None where nothing was traced."""
    with Places(nn.Module()) as places:
        holder.append(Recorder(places, "mps", evidence.opened))
        for sample in pick(info):
            places.phase = "forward"
            try:
                with phantom.PhantomMode(), Rewriting(holder[-1]), holder[-1]:
                    _trace(info, sample, places, train)
            except Exception:  # what was called before it is recorded
                continue
    # What is caught above is this file's own doing, and no part of a program.
    calls = tuple(msgspec.structs.replace(one, handler="") for one in holder[-1].calls())
    return judge_trace(Trace(calls=calls), evidence) if calls else None


def pick(info: Any) -> list[Any]:
    """With gradients forward, too: so does CI (test_output_match in its test_mps.py), and some composites take another
    way then, as attention does on MPS."""
    every = list(info.sample_inputs(HERE, torch.float32, requires_grad=True))
    return [every[number] for number in spread(len(every), SAMPLES)]


def _trace(info: Any, sample: Any, places: Places, train: bool) -> None:
    given = map_tensors((sample.input, sample.args, sample.kwargs), _placed)
    if str(given[2].get("device")) == HERE:
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


def explain_no_gradient(info: Any) -> str:
    """Why no sample has a gradient on the CPU that another device could share; empty where one has."""
    operator = getattr(torch.ops.aten, info.name.rpartition(".")[2], None)
    overloads = [getattr(operator, name) for name in operator.overloads()] if operator is not None else []
    if "dropout" in info.name or any(torch.Tag.nondeterministic_seeded in one.tags for one in overloads):
        return "it draws at random"
    for sample in pick(info):
        try:
            # As CI does: a gradient is drawn for the result as it is, which the CPU itself refuses if it is sparse.
            outputs = _with_gradient(info(sample.input, *sample.args, **sample.kwargs))
            torch.autograd.backward(outputs, [torch.rand_like(one) for one in outputs])
        except Exception:  # not differentiable with these arguments
            continue
        if outputs:
            return ""
    return "the CPU gives no gradient either"


class Truth(NamedTuple):
    """Whether CI expects a failure for the device's sake; None, with the reason, where it does not judge."""

    fails: bool | None
    why: str = ""


def truth_of_call(tables: CiTables, key: str) -> Truth:
    """Of the forward pass."""
    found = truth(tables, key, "float32")
    if found is None:
        return Truth(None, "CI skips it, or lists it as random, undefined or unequal and not as missing")
    return Truth(found)


def truth_of_training(tables: CiTables, key: str, info: Any) -> Truth:
    """Of a training step with it."""
    forward = truth_of_call(tables, key)
    if forward.fails is None:
        return forward
    if not info.supports_autograd or torch.float32 not in info.supported_backward_dtypes("mps"):
        return Truth(None, "it has no gradient")
    if _holds(tables.gradient_skipped, key):
        return Truth(None, "CI skips its gradient")
    why = explain_no_gradient(info)
    return Truth(None, why) if why else Truth(forward.fails or _holds(tables.gradient_fails, key))


def _holds(table: dict[str, tuple[str, ...] | None], key: str) -> bool:
    dtypes = table.get(key, ())
    return dtypes is None or "float32" in dtypes


class Judged(NamedTuple):
    """Of one operator in one direction."""

    counts: Counts
    words: list[str]
    left_out: str = ""


def judge_apart(info: Any, direction: str, tables: CiTables, evidence: Evidence, holder: list[Recorder]) -> Judged:
    """In a forked process: some operators abort without data, which costs that one alone."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        found = pickle.dumps(judge(info, direction, tables, evidence, holder))
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(found)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    if answer:
        judged: Judged = pickle.loads(answer)
        return judged
    return _count_lost(info, direction, tables)


def _count_lost(info: Any, direction: str, tables: CiTables) -> Judged:
    """Of an operator whose trace ended its process: nothing was seen of it."""
    key = info.name + info.variant_test_name
    fails = truth_of_call(tables, key).fails
    if fails is None:
        return Judged(Counter(), [])
    counts: Counts = Counter({(half_of(key), direction, "fails" if fails else "passes", "unseen"): 1})
    return Judged(counts, [f"{half_of(key)}: {direction} {key} aborts"])


def judge(info: Any, direction: str, tables: CiTables, evidence: Evidence, holder: list[Recorder]) -> Judged:
    """Of one operator: what CI says beside what preflight says."""
    key = info.name + info.variant_test_name
    is_training = direction == "backward"
    expected = truth_of_training(tables, key, info) if is_training else truth_of_call(tables, key)
    if expected.fails is None:
        listed = _holds(tables.gradient_fails, key) if is_training else _holds(tables.fails_for_other_reasons, key)
        return Judged(Counter(), [], f"{key}: {expected.why}" if listed else "")
    try:
        answer = say(info, evidence, holder, is_training)
    except Exception:  # its samples can't be made here
        answer = None
    said = answer.verdict if answer is not None else "unseen"
    alone = ["backward_alone"] if is_training and not truth_of_call(tables, key).fails else []
    expectation = "fails" if expected.fails else "passes"
    counts: Counts = Counter((half_of(key), one, expectation, said) for one in (direction, *alone))
    return Judged(counts, _tell_disagreement(key, direction, expectation, said, answer))


def _tell_disagreement(key: str, direction: str, expectation: str, said: str, answer: Answer | None) -> list[str]:
    if said in FOUND if expectation == "fails" else said != "will_not_run":
        return []
    first = answer.problems[0] if answer is not None and answer.problems else None
    why = f"{first.subject} {first.phase}: {first.reason}" if first is not None else ""
    return [f"{half_of(key)}: {direction} {expectation} but {said}: {key}: {why}"]


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
    left_out: list[str] = []
    for info in op_db[:: 10 if options.quick else 1]:
        key = info.name + info.variant_test_name
        chosen = options.half in (None, half_of(key)) and (not options.failures or truth(facts.ci, key, "float32"))
        if chosen and torch.float32 in info.supported_dtypes("mps"):  # type: ignore[no-untyped-call]
            for direction in ("forward", "backward"):
                judged = judge_apart(info, direction, facts.ci, evidence, holder)
                counts += judged.counts
                left_out += [f"{direction}: {judged.left_out}"] if judged.left_out else []
                for one in judged.words:
                    if options.verbose and one.startswith("developed"):
                        print(one, flush=True)
    for one in left_out:
        print(f"not judged, though CI lists it: {one}")
    halves = {half: _rows(counts, half) for half in get_args(Half) if options.half in (None, half)}
    print(
        json.dumps(
            {
                "benchmark": "preflight_accuracy",
                "torch": facts.torch,
                "quick": options.quick,
                **halves,
                "left_out": len(left_out),
            }
        )
    )


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
