"""The fast mark: a contest of the learner's function against the reference.

Never an absolute time. The mark is refused only where the whole interval lies beyond the allowed ratio, so noise
alone can't take it away, and where the ratio is too good to be true. A clear case is decided in 8 rounds.
"""

from collections.abc import Callable, Sequence
from itertools import cycle
from typing import Any

from torchstone.backends import find_device
from torchstone.learn.grading.answers import guard, raw
from torchstone.learn.grading.checks import Failed, note
from torchstone.learn.grading.comparing import CPU, expect_close
from torchstone.learn.grading.keeping import clone
from torchstone.learn.grading.session import session
from torchstone.learn.verdicts import Failure
from torchstone.measuring.contest import Contest, Standing
from torchstone.measuring.rivals import Rival, synchronizer
from torchstone.measuring.timing import Call
from torchstone.stats import Band, PairedRatio

BUDGET_S = 0.6
RATIO = 1.5
FLOOR = 0.2
"""Five times faster than an expert's solution means that the work was not done."""
FEWEST_ROUNDS = 12
"""Run whatever the seconds: an answer must not pass because it is too slow to be timed. One hiccup is allowed."""
TOO_FAST = "The clock ran while nothing was computed: results kept from an earlier call are no results for new inputs."


def rests_on_a_clock() -> None:
    """Say that the running check asks a clock of its own, such as torch's profiler: a busy machine can change it."""
    session.timed = True


def expect_fast(
    function: Any,
    reference: Callable[..., Any],
    inputs: Sequence[tuple[Any, ...]],
    *,
    ratio: float = RATIO,
    floor: float = FLOOR,
    budget_s: float = BUDGET_S,
    teach: str | None = None,
    compare: bool = True,
) -> None:
    """At most `ratio` times the reference's time over `inputs`, several argument tuples of one size.

    The inputs take turns, so a cache has to hold them all; afterwards the answers are compared once more.
    """
    rests_on_a_clock()
    name = guard(function).__name__
    theirs, mine = _turns(reference, inputs), _turns(raw(function), inputs)
    mine()  # once outside the measuring, where an exception is shown with the learner's line
    found = hold_contest(theirs, mine, Band(floor, ratio), budget_s)
    if found.ratio is None or found.status != "ok":
        raise Failed(Failure(message=f"{name} could not be timed: {found.why}", teach=teach))
    text = _describe(found.ratio)
    if found.verdict == "slower":
        raise Failed(Failure(message=f"{name} takes {text}; {ratio:g}× is allowed", teach=teach))
    if found.verdict == "faster":
        raise Failed(Failure(message=f"{name} is too fast to be true: {text}", teach=TOO_FAST))
    if compare:
        _expect_still_right(raw(function), reference, inputs, name)
    note(text)


def hold_contest(theirs: Call, mine: Call, band: Band, budget_s: float) -> Standing:
    """What a contest says of mine: `slower` or `faster` where it lies beyond the band without a doubt."""
    backend, device = find_device(str(session.device))
    wait = synchronizer(backend, device.id)
    contest = Contest([Rival("reference", theirs, wait), Rival("learner", mine, wait)], band=band)
    return contest.run(within_s=budget_s, fewest_rounds=FEWEST_ROUNDS)["learner"]


def _describe(found: PairedRatio) -> str:
    span = f" ({found.interval.low:.2f}–{found.interval.high:.2f})" if found.interval else ""
    return f"{found.ratio:.2f}× the reference's time{span}"


def _turns(function: Callable[..., Any], inputs: Sequence[tuple[Any, ...]]) -> Callable[[], Any]:
    turn = cycle(inputs)
    return lambda: function(*next(turn))


def _expect_still_right(
    function: Callable[..., Any], reference: Callable[..., Any], inputs: Sequence[tuple[Any, ...]], name: str
) -> None:
    for arguments in inputs:
        expected = reference(*clone(arguments, CPU))
        expect_close(function(*arguments), expected, what=f"the result of {name} after timing", teach=TOO_FAST)
