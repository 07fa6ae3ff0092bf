"""Is this run to be trusted? What the run itself says: a busy machine, rounds that scatter, saved power, too few
samples, measurements that disagree, a torn file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from torchstone.records import PEAK_IN_DOUBT, Fact, Finding, Measurement, Run
from torchstone.report.agreeing import doubt_of_itself, drift_words
from torchstone.report.doubting import doubts_of
from torchstone.report.holes import fault_words, holes_of
from torchstone.report.kept import kept_words
from torchstone.report.lost import lost_calls
from torchstone.report.names import describe_setup, is_unverified, work_of
from torchstone.report.speedups import Speedup, group_rivals

BUSY_LOAD = 0.5
"""Of a core, at the start: above it something else was running, and took what we measured."""
MADE_UP = "made up"
"""A fact of runs that were composed for a test or a drawing, and never measured."""
MOSTLY = 0.5
SCATTER = 0.1
"""Of the ratios of a contest's rounds, in the median over all contests: on a quiet machine it is 0.01 to 0.03."""
FEWEST_ROUNDS = 8


@dataclass(frozen=True)
class Trust:
    """Whether the numbers may be believed, and why not."""

    is_trusted: bool
    sentence: str
    doubts: tuple[str, ...] = ()


def judge_trust(run: Run, found: Sequence[Speedup], remarks: Sequence[str] = ()) -> Trust:
    doubts = [*_made_up(run), *remarks, *_unverified(run), *_kept(run), *_wrong(run), *_lost(run), *_beyond_peak(run)]
    doubts += [*doubts_of(run, found), *_of_the_machine(run), *_of_the_rows(found)]
    if not run.measurements and not run.findings:
        return Trust(False, "There is nothing to trust: nothing was measured.", ("nothing was measured", *doubts))
    if run.measurements and not any(one.status == "ok" for one in run.measurements):
        return Trust(
            False, "There is nothing to trust: nothing could be measured.", ("nothing could be measured", *doubts)
        )
    decided = sum(one.verdict != "unclear" for one in found)
    counted = f"{decided} of {len(found)} differences decided" if found else "nothing was compared"
    if found and not decided and not doubts:
        doubts.append("it settles no comparison")
    if not doubts:
        return Trust(True, f"Yes: {counted}, and nothing seen that disturbed it.")
    return Trust(False, f"With care: {'; '.join(doubts[:3])}; {counted}.", tuple(doubts))


def is_made_up(run: Run) -> bool:
    fact = run.environment.facts.get(MADE_UP)
    return fact is not None and bool(fact.value)


def _made_up(run: Run) -> list[str]:
    return ["these figures are made up: no machine measured them"] if is_made_up(run) else []


def _unverified(run: Run) -> list[str]:
    """Whose answers nobody could check: their speed may be that of nonsense."""
    names = dict.fromkeys(work_of(one.name).model_words for one in run.measurements if is_unverified(one))
    return [f"the answers of {', '.join(list(names)[:3])} could not be verified"] if names else []


def _kept(run: Run) -> list[str]:
    """Whose speed may be that of finding an answer, and not of computing it."""
    words = kept_words(run.measurements)
    return [words] if words else []


def _wrong(run: Run) -> list[str]:
    """Who is wrong at one batch in its plain setup may be so at others that nobody compared."""
    wrong = [one for one in holes_of(run) if one.kind == "wrong"]
    return [f"{device} {fault_words(wrong, device)}" for device in dict.fromkeys(one.device for one in wrong)]


def _lost(run: Run) -> list[str]:
    """What broke in one case: its speed in another says nothing."""
    found = [f"{work.words} ({describe_setup(setup)})" for work, setup in lost_calls(run.measurements)]
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return [f"{found[0]}{more} broke in one case, so that its speed in another does not count"] if found else []


def _beyond_peak(run: Run) -> list[str]:
    """Whose speed is above a peak that was measured on a starved machine."""
    found = [one for one in run.measurements if one.status == "ok" and one.facts.get(PEAK_IN_DOUBT)]
    names = dict.fromkeys(work_of(one.name).model_words for one in found)
    return [f"{', '.join(list(names)[:3])} ran beyond the device's measured peak, which is in doubt"] if names else []


def busy_words(run: Run) -> str:
    """That the machine was busy, as it was watched; of a run that was not, by its load."""
    watched = [one for one in run.findings if one.kind == "machine"]
    if watched:
        worst = max(filter(_is_busy, watched), key=lambda one: _share(one.facts.get("others")), default=None)
        return "" if worst is None else f"this machine was busy ({worst.evidence.partition(':')[0]})"
    load = _number(run, "load per core at start")
    return f"this machine was busy ({load_words(load)})" if load and load > BUSY_LOAD else ""


def _is_busy(finding: Finding) -> bool:
    """Whether others were seen: a minute's average of the load still tells of what has ended, as an installation."""
    return finding.level != "ok"


def load_words(load: float) -> str:
    """The load a core in words: below one it is the share of the cores that had work."""
    if load < 1:
        return f"other work kept {100 * load:.0f} % of its cores busy just before"
    return f"{load:.1f} tasks waited for each core just before"


def busy_meanwhile(run: Run) -> str:
    """That other programs ran beside it, where the machine was watched during the whole of it."""
    watched = [one for one in run.findings if one.kind == "machine" and "during the run" in one.subject]
    return busy_words(run) if any(map(_is_busy, watched)) else ""


def _of_the_machine(run: Run) -> list[str]:
    words = [busy_words(run)]
    words += [sentence for name, sentence in _POWER.items() if _is_true(run.environment.facts.get(name))]
    words += [f"{one.subject}: {one.evidence}" for one in run.findings if one.kind == "doctor" and one.level in _BAD]
    return [part for part in (*words, doubt_of_itself(run), drift_words(run), scatter_words(run)) if part]


def scatter_words(run: Run) -> str:
    """That the rounds of its own contests differ from each other, whatever the machine says of itself."""
    found = [scatter for group in group_rivals(run.measurements) for scatter in _scatters(group)]
    middle = median(found) if found else 0.0
    return f"its rounds scattered by {middle:.0%}, where a quiet machine's do by 1 to 3 %" if middle > SCATTER else ""


def _scatters(group: Sequence[Measurement]) -> Iterator[float]:
    """Of each rival's ratio to the first, from round to round: the median distance from the median."""
    first = group[0]
    for rival in group[1:]:
        rounds = min(len(first.samples), len(rival.samples))
        if first.contest is not None and rounds >= FEWEST_ROUNDS:
            ratios = [rival.samples[number] / first.samples[number] for number in range(rounds)]
            middle = median(ratios)
            yield median(abs(ratio / middle - 1) for ratio in ratios)


def _share(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


_POWER = {"on battery": "it ran on battery", "low-power mode": "the low-power mode was on"}
_BAD = ("warning", "problem")


def _of_the_rows(found: Sequence[Speedup]) -> list[str]:
    few = sum(one.has_too_few_samples for one in found)
    if not found or few <= MOSTLY * len(found):
        return []
    return [f"{few} of {len(found)} rows have too few samples: a larger --budget helps"]


def _is_true(fact: Fact | None) -> bool:
    return fact is not None and fact.value is True


def _number(run: Run, name: str) -> float | None:
    fact = run.environment.facts.get(name)
    value = fact.value if fact is not None else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
