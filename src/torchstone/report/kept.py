"""Models that may give an answer which they had kept: where its memory was counted, a call used no weight of theirs.

Their rates are those of looking something up and not of computing it; or other threads compute, out of sight.
"""

from collections.abc import Sequence

from torchstone.records import Measurement
from torchstone.report.names import EVALUATION, Work, work_of

NO_WEIGHT_USED = "no weight was used in the call"
"""How the reason begins for which a memory record was skipped; a test holds the experiments to it."""
QUANTITY = "peak memory"
MOST_NAMED = 3
Step = tuple[str, str]
"""Model and stage."""


def kept_steps(measurements: Sequence[Measurement]) -> dict[Step, Measurement]:
    """The steps that may give a kept answer, with the record that shows it."""
    return {step_of(work_of(one.name)): one for one in measurements if _is_kept(one)}


def _is_kept(one: Measurement) -> bool:
    is_skipped = one.status == "skipped" and one.quantity == QUANTITY
    return is_skipped and (one.reason or "").startswith(NO_WEIGHT_USED)


def step_of(work: Work) -> Step:
    return work.model, work.stage or EVALUATION


def _names(measurements: Sequence[Measurement]) -> str:
    """The models, in words; empty where none is in doubt."""
    names = list(dict.fromkeys(work_of(one.name).model_words for one in kept_steps(measurements).values()))
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more


def kept_words(measurements: Sequence[Measurement]) -> str:
    """The doubt; empty where there is none."""
    names = _names(measurements)
    return f"a call of {names} used no weight and may give an answer that it had kept" if names else ""


def kept_sentence(measurements: Sequence[Measurement]) -> str:
    """What stands behind a headline that may rest on such rates."""
    words = kept_words(measurements)
    return f" But {words}." if words else ""
