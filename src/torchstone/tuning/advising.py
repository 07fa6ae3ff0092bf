"""What to tell a person: a sentence of advice, the setup that it recommends, and what to know before believing it."""

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

import msgspec

from torchstone.engines import load_engine
from torchstone.measuring.spelling import spell_milliseconds, spell_number, spell_range
from torchstone.records import REMARK, Finding, Measurement, Setup
from torchstone.stats import WORTH_MARGIN
from torchstone.tuning.doubting import Doubts
from torchstone.tuning.scoring import GROWN, UNITS, Question, is_timed

if TYPE_CHECKING:
    from torchstone.tuning.answer import Answer
    from torchstone.tuning.winning import Winner

WORTHWHILE = 1 + WORTH_MARGIN
"""Times as fast below which nobody should change a program."""
MOST_PYTHON = 0.5
"""Of the plain run's time: with more of it in Python code, an exported model owes its gain to leaving that out."""
LEFT_OUT = (
    "beware: most of the plain run's time is spent in Python code that an exported model does not run; "
    "make sure that it is not needed"
)
BOTHER = f"do not bother: nothing that is right beats the plain run by more than {100 * WORTH_MARGIN:.0f} % here"


def advise(answer: "Answer", question: Question, doubts: Doubts) -> tuple[str, Setup | None]:
    """The advice, and the setup that it recommends; None where it recommends nothing, not even the plain run."""
    if not answer.baseline.samples:
        return f"the plain run could not be measured: {answer.baseline.reason}; nothing is recommended", None
    if not answer.winners:
        return _without_winners(answer, question)
    by_amount = question.objective in UNITS
    words, chosen = _advise_by_amount(answer, question, doubts) if by_amount else _advise_by_time(answer)
    bound, fastest = question.latency_bound_s, min(answer.winners, key=lambda winner: winner.median_s)
    if bound is not None and fastest.median_s > bound:
        took, allowed = spell_milliseconds(fastest.median_s), spell_milliseconds(bound)
        words += f"; even the fastest call takes {took}, and {allowed} are allowed"
    return "; ".join((words, *_left_out(answer, chosen), *_reservations(doubts))), chosen


def _left_out(answer: "Answer", chosen: Setup) -> list[str]:
    """What an engine may gain by not running it."""
    share = answer.python_share
    is_exported = getattr(load_engine(chosen.engine), "EXPORTS", False)
    return [LEFT_OUT] if is_exported and share is not None and share > MOST_PYTHON else []


def _reservations(doubts: Doubts) -> list[str]:
    """What kept some setups from being recommended at all."""
    said = ["this machine was busy, so none is recommended for its number of threads"] if doubts.busy else []
    unverified = doubts.unverified.get(doubts.plain) if doubts.plain is not None else None
    if unverified:
        why = unverified.partition(":")[0]
        said.append(f"the answers could not be verified ({why}), so none is recommended that may change them")
    return said


def _without_winners(answer: "Answer", question: Question) -> tuple[str, Setup | None]:
    if question.objective in UNITS and not any(one.reason and "allowed" in one.reason for one in answer.lost):
        return f"the {question.objective} of no setup could be measured: nothing is recommended", None
    if answer.undecided:
        best = answer.undecided[0].setup.words
        plain = None if _plain_is_beyond(answer) else answer.baseline.setup
        return f"undecided: too few rounds to recommend {best}; give more --budget", plain
    return "nothing that is right keeps the bounds that were given: nothing is recommended", None


def _plain_is_beyond(answer: "Answer") -> bool:
    """Whether the plain run breaks a bound."""
    return any(one.setup == answer.baseline.setup for one in answer.lost)


def _advise_by_amount(answer: "Answer", question: Question, doubts: Doubts) -> tuple[str, Setup]:
    first = answer.winners[0]
    amount = (
        f"{spell_number(first.memory_bytes / 1e6)} MB at its peak"
        if question.objective == "memory" and first.memory_bytes is not None
        else f"{first.energy_joules:.3g} J a call above idle"
    )
    least = f"{first.setup.words} takes the least {question.objective} of those that are right: {amount}"
    if doubts.beside and first.setup != answer.baseline.setup:
        return f"{least}; how fast it is can't be told on a busy machine", first.setup
    return f"{least}, and is {_speed(first, answer.baseline.setup)}", first.setup


def _speed(winner: "Winner", plain: Setup) -> str:
    if winner.setup == plain:
        return "the plain run"
    if winner.verdict == "unclear":
        return "not told from the plain run in speed: give more --budget"
    return f"{spell_number(winner.ratio)} times as fast as the plain run"


def _advise_by_time(answer: "Answer") -> tuple[str, Setup]:
    plain, first = answer.baseline.setup, answer.winners[0]
    best = max(answer.winners, key=lambda winner: winner.ratio)
    found = _best_batch(answer)
    if found is not None and found["low"] > best.ratio * WORTHWHILE:
        batch = msgspec.convert(found["setup"], Setup)
        interval = spell_range(found["low"], found["high"])
        rate = f"{spell_number(found['ratio'])} times as many rows a second as the plain run ({interval})"
        return f"batches of {found['times']} times the rows, {without_batch(batch).words}: {rate}", batch
    if first.setup != plain:
        beyond = "; the plain run does not keep the bounds" if _plain_is_beyond(answer) else ""
        return f"run it with {first.setup.words}: {_gain(first)}{_payment(first)}{beyond}", first.setup
    return _keep_the_plain(answer), plain


def _best_batch(answer: "Answer") -> dict[str, Any] | None:
    """The first that keeps the bounds, of a setup that is right itself: a larger batch mends no doubt."""
    right = {winner.setup for winner in answer.winners}
    shown = (one for one in answer.batches if one["keeps_bound"] and one["low"] is not None)
    return next((one for one in shown if without_batch(msgspec.convert(one["setup"], Setup)) in right), None)


def _keep_the_plain(answer: "Answer") -> str:
    """Nothing was shown to be faster: whether something may be, is in doubt, or was not tried."""
    maybe = [one for one in answer.undecided if one.high is None or one.high > WORTHWHILE]
    best = maybe[0] if maybe else None
    if best is not None and best.is_doubted and best.ratio > 1.0:
        return f"keep the plain run: {best.setup.words} seemed to be faster, but is in doubt"
    if best is not None and best.ratio > 1.0:
        return f"undecided: the best so far is {best.setup.words}, {_gain(best)}; {best.why}"
    if answer.untried:
        return f"undecided: nothing that was tried beats the plain run, and {_no_time(answer)}"
    if best is not None:
        return f"undecided: of {best.setup.words} it could not be told whether it beats the plain run; {best.why}"
    return BOTHER


def _no_time(answer: "Answer") -> str:
    return f"no time was left to try {', '.join(answer.untried)}: give more --budget"


def without_batch(setup: Setup) -> Setup:
    """The setup of one that differs from it in its rows alone."""
    return msgspec.structs.replace(setup, options=tuple(one for one in setup.options if not one.startswith(GROWN)))


def _gain(winner: "Winner") -> str:
    interval = "" if winner.low is None or winner.high is None else f" ({spell_range(winner.low, winner.high)})"
    return f"{spell_number(winner.ratio)} times as fast as the plain run{interval}"


def _payment(winner: "Winner") -> str:
    pays = winner.pays_after_calls
    return (
        "" if pays is None else ", which pays at once" if pays < 1 else f", which pays after {pays:,.0f} calls at most"
    )


def take_notes(answer: "Answer", records: Sequence[Measurement], question: Question, doubts: Doubts) -> tuple[str, ...]:
    """What a reader should know before believing the answer."""
    said = [str(answer.baseline.facts[REMARK])] if answer.baseline.facts.get(REMARK) else []
    said += [_no_time(answer)] if answer.untried else []
    busy = doubts.busy or doubts.beside
    said += [f"this machine was busy: {busy}"] if busy else []
    said += _alone(answer, records)
    said += _advise_workers(answer)
    unverified = answer.baseline.facts.get("unverified")
    said += [f"unverified: {unverified}; speeds alone were compared, not the answers"] if unverified else []
    ended = [one.reason for one in records if one.name.split("/")[-2:-1] == ["batches"] and one.status == "skipped"]
    said += [f"larger batches: {reason}" for reason in ended[:1] if reason]
    unit = UNITS.get(question.objective)
    unmeasured: dict[str, list[str]] = {}
    for one in records:
        if (
            one.unit == unit
            and one.status != "ok"
            and one.reason
            and one.setup.words not in unmeasured.get(one.reason, [])
        ):
            unmeasured.setdefault(one.reason, []).append(one.setup.words)
    said += [f"{question.objective} of {' and '.join(setups)}: {why}" for why, setups in unmeasured.items()]
    if answer.baseline.samples and _is_unsteady(answer.baseline):
        said.append("the plain run's time varied more than twofold: something else is using this machine")
    return tuple(said)


def _alone(answer: "Answer", records: Sequence[Measurement]) -> list[str]:
    """Without the plain run: who was timed all the same."""
    if answer.baseline.samples:
        return []
    timed = {one.setup: median(one.samples) for one in records if is_timed(one)}
    alone = "a call, with nothing to compare it with"
    return [f"{setup.words}: {spell_milliseconds(seconds)} {alone}" for setup, seconds in timed.items()]


def _advise_workers(answer: "Answer") -> list[str]:
    """Of the person's own DataLoader."""
    better = [one for one in answer.workers if one["low"] is not None and one["low"] > WORTHWHILE]
    best = max(better, key=lambda one: float(one["ratio"]), default=None)
    if best is not None:
        times = f"{spell_number(best['ratio'])} times as fast ({spell_range(best['low'], best['high'])})"
        return [f"your DataLoader: {times} with num_workers={best['workers']}, training steps included"]
    return ["your DataLoader: no other number of workers was proven to be faster"] if answer.workers else []


def _is_unsteady(record: Measurement) -> bool:
    """Whether a quarter of its samples took more than twice the least quarter's."""
    ordered = sorted(record.samples)
    quarter = len(ordered) // 4
    return len(ordered) >= 8 and ordered[-1 - quarter] > 2 * ordered[quarter]


def findings_of(answer: "Answer", target: str) -> list[Finding]:
    """The answer for the run's file: what the page and the post show first."""
    advice = Finding(
        kind="tune",
        subject=target,
        verdict="advice",
        level="ok" if answer.baseline.samples else "problem",
        tier="measured",
        evidence=answer.advice,
        facts={"chosen": answer.chosen.key if answer.chosen else None, "plain_s": answer.plain_s},
    )
    notes = [
        Finding(kind="tune", subject=target, verdict="note", level="warning", tier="measured", evidence=words)
        for words in answer.notes
    ]
    return [advice, *notes]
