"""Is an output right? Compared with the CPU's float64 answer, by the yardstick of the CPU's own error in that dtype.

reference = Reference(model, inputs)              # once: runs the model on the CPU, and looks for side effects
judge = reference.judge("bfloat16")               # the model's own dtype where none is given
judge.check(output).verdict                       # ok | wrong | unverified, with the reason and the place

leaves      an output taken apart into values that can be compared
yardstick   how far from the exact value is still right
answers     what the CPU says, exactly and with the rounding of a dtype
calling     one call of a copy, and what it changed
reference   the exact answer, made once, and what the model does besides
doubting    what another honest computer might answer
judging     the verdict on an output
"""

from torchstone.correctness.answers import (
    Answer,
    answer_of,
    cpu_error,
    error_between,
    exact_answer,
    explain_not_finite,
    half_the_threads,
    pick_rows,
    plain_answer,
)
from torchstone.correctness.judging import Judge, Judgement
from torchstone.correctness.reference import Reference, own_dtype
from torchstone.correctness.yardstick import CPU_ERROR_FACTOR, tolerance_for

__all__ = [
    "CPU_ERROR_FACTOR",
    "Answer",
    "Judge",
    "Judgement",
    "Reference",
    "answer_of",
    "cpu_error",
    "error_between",
    "exact_answer",
    "explain_not_finite",
    "half_the_threads",
    "own_dtype",
    "pick_rows",
    "plain_answer",
    "tolerance_for",
]
