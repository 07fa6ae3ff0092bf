"""All probes as cases for the scheduler: one for each operator that models use, one for copies, one for each draw."""

from collections.abc import Iterator, Sequence
from functools import partial

import torch

from torchstone.backends import find_device
from torchstone.errors import first_line_of
from torchstone.ops.names import matching_names
from torchstone.ops.operators import dtype_name
from torchstone.ops.probes.bases import Base, all_bases
from torchstone.ops.probes.conditions import Thresholds
from torchstone.ops.probes.copies import probe_copies
from torchstone.ops.probes.judging import Prober, probe
from torchstone.ops.probes.randomness import DRAWS, probe_randomness
from torchstone.ops.probes.state import probe_state, thresholds_for
from torchstone.ops.verdicts import EITHER, finding
from torchstone.records import Finding, Scalar, Setup
from torchstone.scheduling.case import Case, Turn, case

COPIES = "copies"
DRAW = "draw "
MOST_TOLD = 12
CASE_LIMIT_S = 900.0


def probe_cases(
    device_id: str, patterns: Sequence[str], dtypes: Sequence[str], limit_s: float, thresholds: Thresholds | None = None
) -> Iterator[Case]:
    """Those that some pattern names, or all."""
    device = torch.device(device_id)
    chosen = thresholds or thresholds_for(device)
    bases = {base.name: base for base in all_bases()}
    names = [*bases, COPIES, *(f"{DRAW}{name}" for name in DRAWS)]
    for name in matching_names("probe", names, patterns):
        if name == COPIES:
            run = partial(_run_copies, device_id, chosen)
        elif name.startswith(DRAW):
            run = partial(_run_draw, device_id, name.removeprefix(DRAW))
        else:
            run = partial(_run_base, device_id, _narrowed(bases[name], dtypes), chosen)
        yield case(
            f"ops probe/{name}",
            run,
            setup=Setup(device=device_id),
            is_timed=False,
            limit_s=max(limit_s, CASE_LIMIT_S),
            finding=finding(_identity(name, device_id), EITHER, "crash", ""),
        )


def _narrowed(base: Base, dtypes: Sequence[str]) -> Base:
    from dataclasses import replace

    kept = tuple(one for one in base.dtypes if not dtypes or dtype_name(one) in dtypes)
    return replace(base, dtypes=kept or base.dtypes[:1])


def _identity(name: str, device_id: str, dtype: str = "any", condition: str = "") -> dict[str, Scalar]:
    variant = f"probe: {condition}" if condition else "probe"
    return {"op": f"aten::{name}", "name": name, "variant": variant, "dtype": dtype, "device": device_id}


def _run_base(device_id: str, base: Base, thresholds: Thresholds, turn: Turn) -> Iterator[Finding]:
    turn.note(f"probing {base.name}")
    backend, _ = find_device(device_id)
    device = torch.device(device_id)
    try:
        prober = probe(base, device, thresholds, lambda: turn.is_over)
    except Exception as error:  # the plain call is refused: that is the atlas's to say
        yield finding(_identity(base.name, device_id), "forward", "unsupported", first_line_of(error)[:300])
        return
    probe_state(prober, lambda: backend.empty_cache(device_id))
    yield from _tell(prober, base, device_id)


def _tell(prober: Prober, base: Base, device_id: str) -> Iterator[Finding]:
    for one in prober.wrong[:MOST_TOLD]:
        direction = "backward" if one.point.way.startswith("backward") else "forward"
        identity = _identity(base.name, device_id, dtype_name(one.point.dtype), one.words)
        yield finding(
            identity,
            direction,
            "wrong",
            one.reason,
            conditions=one.words,
            left_out=prober.left_out,
            largest_elements=prober.largest,
        )
    left = f"; no time for {prober.left_out} more" if prober.left_out else ""
    refused = (
        f"; refused {len(prober.refused)} in words such as: {next(iter(prober.refused))}" if prober.refused else ""
    )
    verdict = "skipped" if not prober.judged else "ok"
    if not prober.wrong:
        largest = f", with up to {prober.largest:,} elements" if prober.judged else ""
        not_run = f"; not run: {prober.not_run_in_words}" if prober.not_run_in_words else ""
        words = f"right under {prober.judged} conditions{largest}{left}{not_run}{refused}"
        yield finding(
            _identity(base.name, device_id),
            "forward",
            verdict,
            words,
            samples=prober.judged,
            left_out=prober.left_out,
            largest_elements=prober.largest,
            sizes_not_run=prober.not_run_in_words or None,
        )


def _run_copies(device_id: str, thresholds: Thresholds, turn: Turn) -> Iterator[Finding]:
    turn.note("probing copies")
    yield from _tell_plain(COPIES, device_id, list(probe_copies(torch.device(device_id), thresholds)))


def _run_draw(device_id: str, name: str, turn: Turn) -> Iterator[Finding]:
    turn.note(f"probing {name}")
    try:
        wrong = list(probe_randomness(name, torch.device(device_id)))
    except Exception as error:  # refused, not wrong
        yield finding(_identity(name, device_id), "forward", "unsupported", first_line_of(error)[:300])
        return
    yield from _tell_plain(name, device_id, wrong)


def _tell_plain(name: str, device_id: str, wrong: list[tuple[str, str]]) -> Iterator[Finding]:
    for condition, reason in wrong[:MOST_TOLD]:
        yield finding(_identity(name, device_id, condition=condition), "forward", "wrong", reason, conditions=condition)
    if not wrong:
        yield finding(_identity(name, device_id), "forward", "ok", "right under all its conditions")
