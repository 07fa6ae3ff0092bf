"""The fastest right way to process images, in a sentence each: the CPU's by its finding, the devices beside it."""

from collections.abc import Iterable, Sequence
from statistics import median

from torchstone.records import Finding, Measurement, Setup
from torchstone.report.formatting import span_words, speed_words
from torchstone.report.names import work_of
from torchstone.report.speedups import times_as_fast

KIND = "images"
WHOLE_ROADS = ("jpeg to tensor", "pixels to tensor", "pipeline")
"""What a sentence is spent on; the single steps stand in the table and in the run file. The most telling first."""
MOST_NAMED = 4


FEWEST_ROUNDS = 2
"""A way that was tried once is a try: what it took may have been somebody else's."""


def fastest_ways(findings: Iterable[Finding], measurements: Sequence[Measurement]) -> list[Finding]:
    """The findings that name a way which was timed more than once."""
    rounds: dict[str, int] = {}
    for one in measurements:
        rounds[one.name] = max(rounds.get(one.name, 0), len(one.samples))
    named = [one for one in findings if one.kind == KIND and one.facts.get("fastest")]
    return [one for one in named if rounds.get(one.subject, FEWEST_ROUNDS) >= FEWEST_ROUNDS]


def best_way(findings: Iterable[Finding], measurements: Sequence[Measurement]) -> Finding | None:
    """The one to tell where there is room for one: of the road that a person would take as it is, the largest batch."""
    named = [one for one in fastest_ways(findings, measurements) if _road(one) in WHOLE_ROADS]
    return min(named, key=lambda one: (WHOLE_ROADS.index(_road(one)), -(work_of(one.subject).batch or 0)), default=None)


def road_words(finding: Finding) -> str:
    return _road(finding).replace("jpeg", "JPEG")


def beside_words(finding: Finding) -> str:
    """Who is as fast, and who could not be told from it; empty where nobody is."""
    alike = {"as fast": finding.facts.get("tied with"), "not told from": finding.facts.get("undecided with")}
    beside = "; ".join(f"{words}: {names}" for words, names in alike.items() if names)
    return f" ({beside})" if beside else ""


def headline_words(finding: Finding, measurements: Sequence[Measurement]) -> str:
    """`from JPEG to tensor torch is the fastest right way: 400 images a second, 3 to 5 times as fast as opencv`."""
    facts = finding.facts
    name, rate = str(facts["fastest"]), facts.get("rate")
    beaten = _beaten(name, [one for one in measurements if one.name == finding.subject and one.samples])
    speed = f"{rate:,.0f} images a second" if isinstance(rate, int | float) else ""
    times = list(beaten.values())
    gain = f"{span_words(times[0], times[-1])} times as fast as {_joined(list(beaten))}" if times else ""
    said = ", ".join(filter(None, (speed, gain)))
    start, link, end = road_words(finding).partition(" to ")
    road = f"from {start}{link}{end}" if link else f"for the {start}"
    best = f"{road} {name}{beside_words(finding)} is the fastest right way on this CPU"
    return f"{best}{': ' if said else ''}{said}{_device_words(finding, measurements)}"


def _beaten(name: str, rivals: Sequence[Measurement]) -> dict[str, float]:
    """Who was slower beyond doubt, with how many times as fast the best was."""
    on_cpu = [one for one in rivals if one.setup.device == "cpu" and one.status == "ok"]
    best = next((one for one in on_cpu if way_name(one.setup) == name), None)
    others = [one for one in on_cpu if one is not best]
    found = {} if best is None else {way_name(one.setup): times_as_fast(one, best) for one in others}
    slower = {other: one.ratio for other, one in found.items() if one.verdict == "faster"}
    return dict(sorted(slower.items(), key=lambda pair: pair[1]))


def way_name(setup: Setup) -> str:
    """The library; torch's own calls there are kornia's."""
    return "kornia" if setup.engine == "eager" else setup.engine


def _joined(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"{len(names)} other ways"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def fastest_sentences(findings: Iterable[Finding], measurements: Sequence[Measurement], most: int) -> list[str]:
    """The whole roads first come first, one size and batch each."""
    named = [one for one in fastest_ways(findings, measurements) if _road(one) in WHOLE_ROADS]
    ordered = sorted(named, key=lambda one: WHOLE_ROADS.index(_road(one)))
    return [f"{_cpu_words(one)}{_device_words(one, measurements)}." for one in ordered[:most]]


def _road(finding: Finding) -> str:
    return "".join(finding.subject.split("/")[1:2])


def _cpu_words(finding: Finding) -> str:
    facts = finding.facts
    rate = facts.get("rate")
    speed = f", {rate:.4g} {facts.get('item') or 'items'}/s" if isinstance(rate, int | float) else ""
    tied = f" (tied with {facts['tied with']})" if facts.get("tied with") else ""
    undecided = f"; undecided with {facts['undecided with']}: more --budget" if facts.get("undecided with") else ""
    untimed = f"; not timed: {facts['not timed']}" if facts.get("not timed") else ""
    what = work_of(finding.subject).words
    return f"Fastest right way on this CPU, {what}: {facts['fastest']}{tied}{speed}{undecided}{untimed}"


def _device_words(finding: Finding, measurements: Sequence[Measurement]) -> str:
    """Every other device's plain time for the same work, set against the CPU's best and not its slowest."""
    rate = finding.facts.get("rate")
    words = []
    for one in measurements:
        items = one.facts.get("items")
        elsewhere = one.name == finding.subject and one.setup.device != finding.facts.get("device")
        counted = elsewhere and one.status == "ok" and one.unit == "s" and one.samples and median(one.samples) > 0
        if counted and isinstance(items, int | float) and isinstance(rate, int | float) and rate > 0:
            words.append(f"; {one.setup.device} is {speed_words(items / median(one.samples) / rate)}")
    return "".join(words)
