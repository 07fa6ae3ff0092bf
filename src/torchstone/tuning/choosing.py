"""What of the space is worth the seconds: predicted from what is known already, by a model that multiplies.

What one change did alone to the plain run (another order of memory, one thread, a narrower dtype) is what it is
expected to do to the best known setup of every engine. Who is not expected to come near the best is not tried; one of
which nothing is known is. So an engine is prepared once at first, as the plain run's own changes recommend, and its
other variants only where it came near the best, or could not be prepared at all.

A score is a setup's time (or bytes, or joules) over the plain run's: less is better.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from torchstone import engines
from torchstone.measuring.spelling import spell_number
from torchstone.records import Setup
from torchstone.tuning.space import CHEAP, Space, base_of, plain_of

NEAR = 1.15
"""Over the best score: who is expected to be beyond it is not tried, and who was measured beyond it is no finalist."""
FINALISTS = 5
FAR = 3.0
"""Times the best score: a device whose plain run is beyond it is not worth another engine."""
Scores = Mapping[Setup, float]
Trait = tuple[str, object]


def traits(setup: Setup) -> frozenset[Trait]:
    """What distinguishes a setup, one by one."""
    fields: list[Trait] = [
        ("device", setup.device),
        ("engine", setup.engine),
        ("precision", (setup.precision, setup.dtype)),
        ("memory format", setup.memory_format),
        ("threads", setup.threads),
    ]
    return frozenset((*fields, *(("option", option) for option in setup.options)))


def changes(setup: Setup, base: Setup) -> int:
    """In how many things one differs from the other."""
    here, there = traits(setup), traits(base)
    return max(len(here - there), len(there - here))


def openers_of_the_plain(space: Space) -> list[Setup]:
    """The plain run on the CPU and each single change to it: they cost nothing to prepare."""
    plain = plain_of(space)
    return [setup for setup in space[CHEAP] if _same_device(setup, plain) and changes(setup, plain) <= 1]


def plain_on(space: Space, device: str) -> Setup:
    """The plain run on a device: how it is tried first, as it may be a hundred times slower than the CPU."""
    return next(setup for setup in space[CHEAP] if setup.device == device)


def devices_beside(space: Space) -> list[str]:
    """All but the CPU."""
    return [
        device for device in dict.fromkeys(setup.device for setup in space[CHEAP]) if device != plain_of(space).device
    ]


def explain_hopeless(setup: Setup, space: Space, scores: Scores) -> str | None:
    """Why nothing more is begun with on a device: plain torch is far behind there, or could not be raced at all."""
    plain = plain_on(space, setup.device)
    if setup.device == plain_of(space).device:
        return None
    if plain not in scores:
        return f"plain torch could not be raced on {setup.device}"
    behind = scores[plain] / min(scores.values())
    return None if behind <= FAR else f"{setup.device} takes {spell_number(behind)} times as long as the best already"


def openers(space: Space, engine: str, scores: Scores) -> list[Setup]:
    """How an engine is tried first on each device: its own first variant, with what helped the plain run."""
    found = []
    for device in dict.fromkeys(setup.device for setup in space[engine]):
        group = [setup for setup in space[engine] if setup.device == device]
        alike = [setup for setup in group if (setup.engine, setup.precision) == (group[0].engine, group[0].precision)]
        found.append(min(alike, key=lambda setup: _expected_change(setup, group[0], space, scores)))
    return found


def _expected_change(setup: Setup, base: Setup, space: Space, scores: Scores) -> float:
    """What going from one setup to another is expected to do, from what each change alone did to the plain run."""
    here, there = traits(setup), traits(base)
    gained = [_effect(trait, setup.device, space, scores) for trait in here - there]
    lost = [_effect(trait, setup.device, space, scores) for trait in there - here]
    return math.prod(gained) / math.prod(lost)


def _effect(trait: Trait, device: str, space: Space, scores: Scores) -> float:
    plain = plain_on(space, device)
    if plain not in scores or trait in traits(plain):
        return 1.0
    alone = [setup for setup in space[CHEAP] if trait in traits(setup) and changes(setup, plain) == 1]
    known = [scores[setup] for setup in alone if setup in scores and _same_device(setup, plain)]
    return known[0] / scores[plain] if known else 1.0


def _same_device(one: Setup, other: Setup) -> bool:
    return one.device == other.device


def predict(setup: Setup, space: Space, scores: Scores, tried: Iterable[Setup]) -> float | None:
    """Its score from the nearest setup of its engine on its device; None where it would fail or crawl as others did.

    An engine whose first variant could not be used may have another that can: that one is as good as anything.
    """
    if explain_hopeless(setup, space, scores) is not None:
        return None
    mates = [one for one in tried if base_of(one) == base_of(setup) and _same_device(one, setup)]
    known = [one for one in mates if one in scores]
    if known:
        base = min(known, key=lambda one: (changes(setup, one), scores[one]))
        return scores[base] * _expected_change(setup, base, space, scores)
    variants = {(one.engine, one.precision) for one in mates}
    return None if not mates or (setup.engine, setup.precision) in variants else min(scores.values())


def promising(space: Space, scores: Scores, tried: Sequence[Setup]) -> list[Setup]:
    """What was not tried yet and may come near the best, the cheapest to prepare first."""
    if not scores:
        return []
    enough = NEAR * min(scores.values())
    expected = {
        setup: score
        for setups in space.values()
        for setup in setups
        if setup not in tried and (score := predict(setup, space, scores, tried)) is not None and score <= enough
    }
    return sorted(expected, key=lambda setup: (engines.load_engine(setup.engine).COST, expected[setup]))


def finalists(scores: Scores) -> list[Setup]:
    """Who is near the best, the best first."""
    if not scores:
        return []
    enough = NEAR * min(scores.values())
    near = [setup for setup in scores if scores[setup] <= enough]
    return sorted(near, key=lambda setup: scores[setup])[:FINALISTS]
