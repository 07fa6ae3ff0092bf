"""A rate that its own run contradicts is no figure: the same call was seen far quicker or slower elsewhere in the run.

On a busy machine a call of all threads may wait a thousand times as long for the one that was put off as it computes.
What shows it is a quick sample among slow ones, the same call in another case, or the same work on fewer threads.
"""

from collections.abc import Iterator, Sequence
from statistics import median

from torchstone.records import Measurement
from torchstone.report.agreeing import may_be_compared, timed_call

FAR_APART = 3.0
"""Times: nearer ones are a scatter, which the line of trust tells of."""
FEW_SAMPLES = 5


def seconds_seen(one: Measurement, others: Sequence[Measurement], is_busy: bool) -> tuple[float, float] | None:
    """The quickest and the slowest that a run saw of a call, where these lie far apart: then its time is not known."""
    middle = median(one.samples)
    same = [median(other.samples) for other in _same_call(one, others)]
    quick = [min(one.samples), *_with_other_settings(one, others)] if is_busy else []
    quickest, slowest = min(middle, *same, *quick, middle), max(middle, *same, middle)
    return (quickest, slowest) if quickest > 0 and slowest > FAR_APART * quickest else None


def _same_call(one: Measurement, others: Sequence[Measurement]) -> Iterator[Measurement]:
    call = timed_call(one)
    for other in others:
        is_same = other is not one and call is not None and timed_call(other) == call
        if is_same and len(other.samples) >= FEW_SAMPLES and may_be_compared(one, other):
            yield other


def _with_other_settings(one: Measurement, others: Sequence[Measurement]) -> Iterator[float]:
    """The same work on the same device in the same dtype: what these gain is not declared beside other programs."""
    call = timed_call(one)
    for other in others:
        found = timed_call(other)
        same_numbers = (other.setup.dtype, other.setup.precision) == (one.setup.dtype, one.setup.precision)
        if call and found and call[0] == found[0] and other.setup.device == one.setup.device and same_numbers:
            yield median(other.samples)
