"""What a machine is worth at each piece of work: its fastest right way, whichever device that is on."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from torchstone import stats
from torchstone.records import Measurement
from torchstone.report.names import Work, differences
from torchstone.report.standings import Contest, is_simple


@dataclass(frozen=True)
class Best:
    """The fastest right way that a machine has of doing a piece of work, whichever device it is on."""

    work: Work
    device: str
    how: str
    rate: float | None
    item: str
    seconds: float
    low: float | None
    high: float | None
    measured: Measurement


def best_of(contests: Sequence[Contest]) -> dict[tuple[str, str, int | None], Best]:
    """By model, stage and batch; a contest comes first."""
    found: dict[tuple[str, str, int | None], Best] = {}
    for contest in contests:
        devices = dict.fromkeys(one.setup.device for one in contest.rivals)
        own = [one for device in devices if (one := contest.best_on(device)) is not None]
        if is_simple(contest.work) and own:
            work = contest.work
            best = min(own, key=lambda one: median(one.samples))
            found.setdefault((work.model, work.stage, work.batch), _best(contest, best))
    return found


def _best(contest: Contest, one: Measurement) -> Best:
    interval = stats.quantile_interval(one.samples)
    return Best(
        work=contest.work,
        device=one.setup.device,
        how=", ".join(differences(one.setup, contest.own_dtype)),
        rate=contest.rates_of(one).rate,
        item=str(one.facts.get("item") or "items"),
        seconds=median(one.samples),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        measured=one,
    )
