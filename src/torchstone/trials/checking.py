"""Whether a model's outputs on a device are right, for experiments that time or count something else than its calls.

What cannot be judged (NaN on the CPU already, another answer at every call) is not called wrong.
"""

import torch
from torch import nn

from torchstone.correctness import Judge, explain_not_finite
from torchstone.models.inputs import move_inputs
from torchstone.models.target import Target
from torchstone.trials.subjects import EXAMPLES, Subject, explain_unjudgeable

DTYPE = "float32"


def small_subject(target: Target) -> Subject:
    """A small model of ours, with its inputs as they are."""
    return Subject(name=target.name, model=target.model, examples=target.inputs, item="rows", weights=target.weights)


def why_unjudged(subject: Subject) -> str | None:
    """Why no output of the subject can be called wrong; None where one can."""
    return explain_unjudgeable(subject) or explain_not_finite(subject.exact())


def judge_rows(subject: Subject, times: int) -> Judge:
    """Judges the output for the subject's one query, `times` over."""
    alone = subject.judge(1, DTYPE)
    if times == 1:
        return alone
    rows = subject.rows(1)
    return Judge(alone.exact, alone.own_error, DTYPE, tuple(row % rows for row in range(rows * times)))


def explain_wrong(subject: Subject, model: nn.Module, device_id: str) -> str | None:
    """What is wrong with the output of the subject's model, which is on the device; None where nothing is."""
    if why_unjudged(subject) is not None:
        return None
    inputs = move_inputs(subject.inputs(EXAMPLES), device_id)
    with torch.no_grad():
        output = model.eval()(*inputs.args, **inputs.kwargs)
    return subject.judge(EXAMPLES, DTYPE)(output)
