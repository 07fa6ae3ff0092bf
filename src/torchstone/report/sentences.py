"""One plain sentence on what each experiment means, computed from the numbers, and never more than they say."""

from collections import Counter
from collections.abc import Sequence

from torchstone.report.cases import ACCURACY, Experiment, Row, is_believable, is_good, reference_of
from torchstone.report.charts import FASTER, SLOWER, place_words, side_of, tail_of
from torchstone.report.fastest import fastest_sentences
from torchstone.report.formatting import count_words, format_value, speed_words

INTRODUCTIONS = {
    "training": "How long one training step, and one evaluation step, takes: the graph of PyTorch's post of May 2022.",
    "inference": "How fast finished models answer: time for a batch, memory, energy, and how steady the answers come.",
    "finetune": "A pre-trained model is taught a new task, from the first epoch to the accuracy that it reaches.",
    "images": "Photographs are decoded, resized, turned and normalized: moving the pixels to the device is counted in.",
    "transfer": "How fast data moves between the host's memory and the device, in pieces of several sizes.",
    "load": "Latency when queries come at random moments and wait for one another, as in a real service.",
    "leak": "Whether memory grows when the same work is done again and again: a flat curve keeps nothing.",
    "selftest": "How small a change this machine can tell: the same code against itself, and against a planted change.",
}
NOT_DONE = ("skipped",)


def introduction(name: str) -> str:
    return INTRODUCTIONS.get(name, "")


def meaning(experiment: Experiment) -> str:
    """What this experiment's numbers say, in a sentence or two."""
    special = {
        "leak": _leak_meaning,
        "load": _load_meaning,
        "transfer": _transfer_meaning,
        "finetune": _finetune_meaning,
        "images": _images_meaning,
    }
    words = special.get(experiment.name, _speed_meaning)(experiment)
    return " ".join(part for part in (words, problem_words(experiment.rows)) if part)


def speed_sentence(rows: Sequence[Row]) -> str:
    """How many cases beat the CPU and how many did not, with the best and the worst."""
    compared = [row for row in rows if row.speedup]
    if not compared:
        return ""
    sides = Counter(side_of(row) for row in compared)
    best = max(compared, key=_ratio)
    worst = min(compared, key=_ratio)
    close = len(compared) - sides[FASTER] - sides[SLOWER]
    reference = reference_of(compared)
    counted = f"{sides[FASTER]} faster, {sides[SLOWER]} slower, {close} undecided"
    ends = f"Best: {_case_words(best)}. Worst: {_case_words(worst)}." if worst is not best else f"{_case_words(best)}."
    return f"Of {count_words(len(compared), 'case')} set against {reference}, {counted}. {ends}"


def problem_words(rows: Sequence[Row]) -> str:
    """What is missing, and why it matters to say so."""
    counts = Counter(row.measurement.status for row in rows if row.measurement.status != "ok")
    if not counts:
        return ""
    listed = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in counts.most_common())
    return f"Without a number: {listed}."


def _case_words(row: Row) -> str:
    assert row.speedup is not None  # chosen so
    return f"{row.what} on {place_words(row)}, {speed_words(row.speedup.ratio)}"


def _ratio(row: Row) -> float:
    return row.speedup.ratio if row.speedup else 0.0


def _speed_meaning(experiment: Experiment) -> str:
    good = [row for row in experiment.rows if is_believable(row) and row.measurement.unit == "s"]
    if not good:
        return "Nothing was measured here."
    compared = speed_sentence(good)
    if compared:
        return compared
    only_cpu = all(row.measurement.setup.device == "cpu" for row in good)
    words = "Measured on the CPU alone" if only_cpu else "No case has the CPU's plain time beside it"
    best = max(good, key=lambda row: row.rate or 0.0)
    highest = f" Highest rate: {best.rate_words} ({best.what}, {place_words(best)})." if best.rate_words else ""
    return f"{words}, so there is nothing to set beside it.{highest}"


def _finetune_meaning(experiment: Experiment) -> str:
    reached = [row for row in experiment.rows if row.measurement.quantity == ACCURACY and is_believable(row)]
    words = [f"{row.what} on {place_words(row)} reached {row.value_words}{_elapsed(row)}." for row in reached[:4]]
    return " ".join([*words, _speed_meaning(experiment)])


def _images_meaning(experiment: Experiment) -> str:
    """What to use on each machine, then how the devices do."""
    words = []
    for label in dict.fromkeys(label for label, _ in experiment.findings):
        findings = [finding for other, finding in experiment.findings if other == label]
        # A page of one run leaves its machine unnamed in the rows.
        measurements = [row.measurement for row in experiment.rows if row.machine in ("", label)]
        (sentence,) = fastest_sentences(findings, measurements, most=1) or ("",)
        words.append(f"{label}: {sentence}" if sentence and experiment.rows[0].machine else sentence)
    return " ".join(part for part in (*words, _speed_meaning(experiment)) if part)


def _elapsed(row: Row) -> str:
    seconds = row.measurement.facts.get("elapsed s")
    return f" in {format_value(seconds, 's')}" if isinstance(seconds, float | int) and seconds > 0 else ""


def _leak_meaning(experiment: Experiment) -> str:
    found = [finding for _, finding in experiment.findings]
    if not found:
        return "No series was long enough to be judged."
    leaking = [finding for finding in found if finding.verdict == "leak"]
    if not leaking:
        clear = sum(is_good(finding) for finding in found)
        return f"No leak: {clear} of {len(found)} series judged show no growth beyond the alarm's threshold."
    first = leaking[0]
    return f"{len(leaking)} of {len(found)} series leak, first of all {first.subject}: {first.evidence}."


def _load_meaning(experiment: Experiment) -> str:
    parts = [f"{finding.subject}: {finding.evidence}." for _, finding in experiment.findings[:3]]
    single = [row for row in experiment.rows if row.what.endswith("SingleStream") and is_believable(row)]
    for row in single[:3]:
        tail = tail_of(row.measurement)
        words = f", {tail[0]} {format_value(tail[1], 's')}" if tail else ""
        parts.append(f"One query at a time on {place_words(row)} takes {row.value_words}{words}.")
    measured = sum(is_believable(row) for row in experiment.rows)
    unjudged = f"{count_words(measured, 'load')} measured, with no verdict on the highest rate."
    return " ".join(parts) or (unjudged if measured else "No load could be put on the model.")


def _transfer_meaning(experiment: Experiment) -> str:
    moved = [row for row in experiment.rows if row.rate and row.measurement.facts.get("item") == "bytes"]
    if not moved:
        return _speed_meaning(experiment)
    best, worst = max(moved, key=lambda row: row.rate or 0), min(moved, key=lambda row: row.rate or 0)
    if best is worst:
        return f"{best.what} on {best.place} moves {best.rate_words}."
    slowest = f"slowest: {worst.rate_words} ({worst.what}, {worst.place})"
    return f"Fastest: {best.rate_words} ({best.what}, {best.place}); {slowest}."
