"""Which dtype to use: the narrower one that is right and faster beyond doubt, else the models' own, and why.

A dtype may give wrong gradients and right answers, so training and evaluation are judged apart, and told apart where
they do not agree. Where it is wrong in one model and faster in another, both are said: the headline may rest on either.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from torchstone.records import AS_IT_IS, PLAIN_DTYPE, Measurement, Run, Setup
from torchstone.report.formatting import span_words
from torchstone.report.names import EVALUATION, TRAINING, Work, dtype_words, work_of
from torchstone.report.speedups import times_as_fast
from torchstone.report.standings import STEPS, Contest

STEP_EXPERIMENTS = ("training", "inference")
MOST_NAMED = 3


@dataclass(frozen=True)
class Judged:
    """What a run found of other dtypes than the models' own, on one device, in one stage or in all."""

    own: str
    gains: dict[str, dict[str, list[float]]]
    """Of those that were faster beyond doubt: by model how many times."""
    tried: frozenset[str]
    wrong: dict[str, tuple[str, ...]]
    """The models in which each gave a wrong answer."""
    left_out: frozenset[str]
    """Timed, and not to be judged, as the machine was busy."""
    has_wide: bool

    @property
    def right(self) -> dict[str, list[float]]:
        return {
            name: [times for found in by_model.values() for times in found]
            for name, by_model in self.gains.items()
            if name not in self.wrong
        }

    @property
    def best(self) -> str:
        """The one to use; empty where that is the models' own."""
        return max(self.right, key=lambda name: median(self.right[name]), default="")

    @property
    def is_silent(self) -> bool:
        """Whether no other dtype was met at all."""
        return not (self.tried or self.wrong or self.left_out)

    @property
    def says(self) -> tuple[str, frozenset[str]]:
        """What another stage must say as well to be told in one sentence with this one."""
        return self.best, frozenset(self.wrong)

    def words(self, where: str) -> str:
        """Without its full stop; empty where nothing is to be said."""
        caution = "".join(f"; {words}" for words in self._wrong_words())
        if self.best:
            times = self.right[self.best]
            span = span_words(min(times), max(times))
            return f"{self.best}{where}: right, {span} times as fast as the best {self.own}{caution}"
        if slow := sorted(self.tried - set(self.gains) - set(self.wrong)):
            return f"{self.own}{where}: {', '.join(slow)} is not faster beyond doubt{caution}"
        if measured := sorted(self.left_out - set(self.wrong)):
            gained = f"what {', '.join(measured)} gains is not declared on a busy machine"
            return f"{self.own}{where}: {gained}{caution}"
        if self.wrong:
            return f"{self.own}{where}: {'; '.join(self._wrong_words())}"
        is_known = self.has_wide and self.own == PLAIN_DTYPE
        return f"{self.own}{where}: no narrower dtype was measured" if is_known else ""

    def _wrong_words(self) -> list[str]:
        """With the models, where it was faster in others."""
        plain = sorted(name for name in self.wrong if name not in self.gains)
        found = [f"{', '.join(plain)} gives wrong answers"] if plain else []
        for name in sorted(set(self.wrong) & set(self.gains)):
            own = self.gains[name]
            times = [one for group in own.values() for one in group]
            faster = f"{span_words(min(times), max(times))} times as fast in {_named(own)}"
            found.append(f"{name} gives wrong answers in {_named(self.wrong[name])}, though it is {faster}")
        return found


def dtype_sentence(run: Run, contests: Sequence[Contest], device: str) -> str:
    """Of all stages together where they agree, else of each that knows of another dtype."""
    steps = [one for one in contests if one.work.experiment in STEP_EXPERIMENTS and one.is_verified]
    wrong = [one for one in run.measurements if one.status == "wrong" and one.setup.device == device]
    left_out = _left_out(run, contests, device)
    by_stage = {}
    for stage in (TRAINING, EVALUATION):
        own = [one for one in steps if stage_of(one.work) == stage]
        others = [[one for one in group if stage_of(work_of(one.name)) == stage] for group in (wrong, left_out)]
        if any(one.on(device) for one in own) or others[0]:
            by_stage[stage] = _judge(own, device, *others)
    if len({one.says for one in by_stage.values()}) <= 1:
        words = _judge(steps, device, wrong, left_out).words(f" on {device}")
        return f"{words}." if words else ""
    speaking = [(stage, judged) for stage, judged in by_stage.items() if not judged.is_silent]
    places = [f" on {device}", *[""] * len(speaking)]
    told = [judged.words(f"{place} for {stage}") for place, (stage, judged) in zip(places, speaking, strict=False)]
    return f"{'; '.join(told)}."


def stage_of(work: Work) -> str:
    """Reading a prompt and writing are the model's answers, too."""
    return TRAINING if work.stage == TRAINING else EVALUATION


def _judge(
    contests: Sequence[Contest], device: str, wrong: Iterable[Measurement], left_out: Iterable[Measurement]
) -> Judged:
    gains: dict[str, dict[str, list[float]]] = {}
    tried = set()
    for contest in contests:
        wide = _best_wide(contest, device)
        for one in contest.on(device):
            if wide is None or not _is_cast(one.setup, contest.own_dtype):
                continue
            found = times_as_fast(wide, one)
            tried.add(dtype_words(one.setup))
            if found.verdict == "faster":
                by_model = gains.setdefault(dtype_words(one.setup), {})
                by_model.setdefault(contest.work.model_words, []).append(found.ratio)
    own = sorted({one.own_dtype for one in contests if one.on(device)}) or [PLAIN_DTYPE]
    return Judged(
        own=" or ".join(own),
        gains=gains,
        tried=frozenset(tried),
        wrong=_models_by_dtype(one for one in wrong if dtype_words(one.setup) not in own),
        left_out=frozenset(dtype_words(one.setup) for one in left_out),
        has_wide=any(_best_wide(contest, device) for contest in contests),
    )


def _models_by_dtype(measurements: Iterable[Measurement]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for one in measurements:
        found.setdefault(dtype_words(one.setup), []).append(work_of(one.name).model_words)
    return {dtype: tuple(dict.fromkeys(models)) for dtype, models in found.items()}


def _named(models: Iterable[str]) -> str:
    found = list(models)
    return ", ".join(found[:MOST_NAMED]) + (f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else "")


def _left_out(run: Run, contests: Sequence[Contest], device: str) -> list[Measurement]:
    """In other dtypes than a model's own, timed there and held by no contest, as the machine was busy."""
    kept = {(one.name, one.setup) for contest in contests for one in contest.rivals}
    own = {one.name: contest.own_dtype for contest in contests for one in contest.rivals}
    timed = [one for one in run.measurements if one.status == "ok" and one.samples and one.quantity in STEPS]
    left_out = [one for one in timed if (one.name, one.setup) not in kept and one.setup.device == device]
    return [one for one in left_out if one.name in own and _is_cast(one.setup, own[one.name])]


def _is_cast(setup: Setup, own_dtype: str) -> bool:
    """To another dtype than that in which the model came."""
    return (setup.dtype or PLAIN_DTYPE) != own_dtype and setup.engine == "eager"


def _best_wide(contest: Contest, device: str) -> Measurement | None:
    """The model's own dtype at its best without another engine: what a narrower one must beat."""
    own = contest.own_dtype
    wide = [one for one in contest.on(device) if one.setup.engine == "eager" and not _is_cast(one.setup, own)]
    as_it_is = [one for one in wide if one.setup.precision == AS_IT_IS]
    return Contest(contest.work, tuple(as_it_is)).best_on(device)
