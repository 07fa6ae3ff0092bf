"""The figures at the top of a page: training, evaluation, the batch from which it pays, what is broken; what was not
measured has no tile."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from torchstone.report.answers import Answers
from torchstone.report.formatting import count_words, format_number, format_times
from torchstone.report.headlines import VERBS
from torchstone.report.speedups import plain_words
from torchstone.report.standings import Bar


@dataclass(frozen=True)
class Tile:
    """A figure, what it is, and the small print."""

    figure: str
    what: str
    note: str
    is_bad: bool = False


def tiles_of(answers: Answers) -> list[Tile]:
    if not answers.bars:
        return [_broken_tile(answers)]
    stages = [stage for stage in VERBS if any(bar.stage == stage for bar in answers.bars)]
    return [*(_stage_tile(answers, stage) for stage in stages), _batch_tile(answers), _broken_tile(answers)]


def _stage_tile(answers: Answers, stage: str) -> Tile:
    bars = [bar for bar in answers.bars if bar.stage == stage]
    if all(bar.device == "cpu" for bar in bars):
        rates = sorted(rate for bar in bars for rate in (bar.rate, *(bar.rates_seen or ())) if rate)
        span = _span(format_number(rates[0]), format_number(rates[-1])) if rates else "–"
        return Tile(f"{span}/s" if rates else span, f"{stage} on the CPU", _models_words(bars))
    if all(bar.verdict == "same" for bar in bars):
        return Tile("as fast", stage, f"{_models_words(bars)}, all decided: no difference from the CPU")
    if not any(bar.is_settled for bar in bars):
        return Tile("undecided", stage, f"{_models_words(bars)}: {_doubt(bars)}")
    times = sorted(bar.times for bar in bars)
    decided = sum(bar.is_settled for bar in bars)
    note = f"{_models_words(bars)}, {'all' if decided == len(bars) else decided or 'none'} decided"
    if times[-1] < 1:
        slower = sorted(1 / one for one in times)
        return Tile(f"{_span(format_times(slower[0]).rstrip('×'), format_times(slower[-1]))} slower", stage, note)
    return Tile(_span(format_times(times[0]).rstrip("×"), format_times(times[-1])), stage, note)


def _doubt(bars: list[Bar]) -> str:
    """Why nothing was decided."""
    return "too few samples" if all(bar.low is None for bar in bars) else "too close to call"


def _span(low: str, high: str) -> str:
    return high if low == high.rstrip("×") else f"{low}–{high}"


def _models_words(bars: list[Bar]) -> str:
    return count_words(len({bar.model for bar in bars}), "model")


def _batch_tile(answers: Answers) -> Tile:
    device = next((bar.device for bar in answers.bars), "cpu")
    if device == "cpu":
        return _setup_tile(answers.bars, bool(answers.busy))
    if not any(bar.is_settled for bar in (*answers.bars, *answers.batches)):
        return Tile("undecided", f"the batch from which {device} wins", "")
    if answers.use.from_batch is not None:
        return Tile(f"batch {answers.use.from_batch}", f"from here on {device} wins", "against the CPU at its best")
    if answers.use.wins_at:
        return Tile(answers.use.wins_at.removeprefix("at "), f"here {device} wins", answers.use.batch)
    batches = {bar.batch for bar in answers.batches}
    if len(batches) == 1:
        return Tile(f"batch {batches.pop()}", "the only one that was measured", answers.use.batch)
    return Tile("–", f"no batch found from which {device} wins", answers.use.batch)


def _setup_tile(bars: Sequence[Bar], is_busy: bool) -> Tile:
    """Without another device: what the CPU gains by its best setup."""
    gains = [bar for bar in bars if bar.verdict == "faster"]
    if not gains and is_busy:
        return Tile("undecided", "the best setup", "no gain is declared on a busy machine")
    if not gains:
        return Tile(
            plain_words(bar.plain_dtype for bar in bars),
            "no setup of the CPU was found faster",
            "only the CPU was measured",
        )
    best = max(gains, key=lambda bar: bar.times)
    return Tile(
        format_times(best.times), f"as fast with {best.how}", f"{best.model} {best.stage}; only the CPU was measured"
    )


def _broken_tile(answers: Answers) -> Tile:
    if not answers.broken:
        left = f"not done: {answers.not_done_words[:60]}" if answers.not_done_words else ""
        return Tile("0 broken", "nothing that was tried is broken", left)
    kinds = Counter(one.kind for one in answers.broken)
    counted = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(4))
    return Tile(f"{len(answers.broken)} broken", counted, "what to do: below", is_bad=True)
