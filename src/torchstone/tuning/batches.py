"""Larger batches of a person's own inputs: made by repeating rows, and not begun where the system would swap."""

from dataclasses import replace

import psutil

from torchstone.measuring.memory import measure_memory
from torchstone.measuring.timing import status_of
from torchstone.models.batching import repeat_inputs, rows_of
from torchstone.models.subject import Subject
from torchstone.tuning.scoring import Question

MEMORY_SHARE = 0.8
"""Of the free memory, that a batch may be expected to take: beyond it the system begins to swap."""


def enlarge(subject: Subject, times: int) -> Subject | str:
    """The subject with so many times its rows; or why its inputs can't be batched."""
    if rows_of(subject.examples) is None:
        return "its inputs have no rows that could be repeated: the batch is kept"
    examples = repeat_inputs(subject.inputs(1) if subject.repeats else subject.examples, times)
    larger = replace(subject, origin="own", examples=examples)
    try:
        larger.model(*examples.args, **examples.kwargs)
    except Exception as error:  # a person's model may refuse other batch sizes with any exception
        return f"the model takes no other number of rows, so the batch is kept: {status_of(error)[1]}"
    return larger


def explain_too_large(subject: Subject, question: Question) -> str | None:
    """Why a batch is not begun: it would not fit into the memory that is free or allowed."""
    try:
        peak = measure_memory(
            lambda: subject.model(*subject.examples.args, **subject.examples.kwargs), model=subject.model
        )
    except Exception as error:  # the exception is the result
        return status_of(error)[1]
    free = MEMORY_SHARE * psutil.virtual_memory().available
    allowed = question.memory_bound_bytes
    if allowed is not None and peak.peak_bytes > allowed:
        return f"a call would hold {peak.peak_bytes / 1e9:.3g} GB, and {allowed / 1e9:.3g} GB are allowed"
    if peak.peak_bytes > free:
        return (
            f"a call would hold {peak.peak_bytes / 1e9:.3g} GB, and {free / 1e9:.3g} GB are free: beyond lies swapping"
        )
    return None
