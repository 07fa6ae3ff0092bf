"""How many planted faults the probes catch, and how many PyTorch's own samples do, on the pretend device.

    python benchmarks/probes.py [--quick] [--controls]

Each fault is planted alone, in this process, and looked for until the first probe calls the device wrong. Only the
bases that reach the planted op are run, since no other can see it; which they are is recorded beforehand on a device
without faults, under every option and way of calling. `--quick` takes every fourth fault; `--controls` runs all probes
without any fault and counts false alarms. The last line is JSON.
"""

import argparse
import contextlib
import json
import time
from collections import defaultdict
from collections.abc import Callable

import torch

from plants import PLANTS, Plant
from torchstone import pretend
from torchstone.ops.catalog import all_operators
from torchstone.ops.judging import judge
from torchstone.ops.operators import Operator, dtypes_of
from torchstone.ops.placing import tensors
from torchstone.ops.probes.bases import Base, all_bases
from torchstone.ops.probes.calling import on_device, perform, prepare
from torchstone.ops.probes.conditions import LOWERED, Point, singles
from torchstone.ops.probes.copies import probe_copies
from torchstone.ops.probes.judging import Prober
from torchstone.ops.probes.randomness import DRAWS, probe_randomness
from torchstone.ops.probes.state import probe_state
from torchstone.pretend.machine import machine

pretend.install()
DEVICE = torch.device("pretend")
BASE_LIMIT_S = 30.0
"""Of CPU time for one base under one plant."""
SAMPLES = 24


def reached_ops(bases: tuple[Base, ...]) -> dict[str, set[str]]:
    """By base, the ops of the device that it calls, under every option and way."""
    found: dict[str, set[str]] = defaultdict(set)
    begin = machine.begin
    for base in bases:

        def note(name: str, base: Base = base) -> object:
            found[base.name].add(name)
            return begin(name)

        machine.begin = note  # type: ignore[method-assign, assignment]
        try:
            _call_all_ways(base)
        finally:
            machine.begin = begin  # type: ignore[method-assign]
    return found


def _call_all_ways(base: Base) -> None:
    plain = Point(base.dtypes[0])
    count = len(tensors(prepare(base, plain, LOWERED).args))
    changes = [one for one in singles(base, count, LOWERED) if one[0] in ("option", "way", "dtype")]
    for name, value in [("way", plain.way), *changes]:
        point = Point(**{"dtype": plain.dtype, name: value})
        try:
            perform(base, on_device(prepare(base, point, LOWERED), point, DEVICE), point.way, is_guarded=True)
        except Exception:  # a refusal reaches nothing
            continue


def is_reached(plant: Plant, ops: set[str]) -> bool:
    short = {name.split("::")[-1] for name in ops}
    bases = {name.split(".")[0] for name in short}
    return any(name.split("::")[-1] in short | bases for name in plant.aten)


def probe_plant(plant: Plant, bases: list[Base]) -> str | None:
    """The first probe that calls the device wrong, in words."""
    with plant.planted():
        for base in bases:
            caught = _probe_base(base)
            if caught is not None:
                return caught
        for condition, _ in probe_copies(DEVICE, LOWERED):
            return f"copies: {condition}"
        for name in DRAWS:
            for condition, _ in probe_randomness(name, DEVICE):
                return f"draw {name}: {condition}"
    return None


def _probe_base(base: Base) -> str | None:
    until = time.process_time() + BASE_LIMIT_S
    prober = Prober(base, DEVICE, LOWERED)
    prober.is_over = lambda: bool(prober.wrong) or time.process_time() > until
    with contextlib.suppress(Exception):  # a plain call that is refused is not silent
        prober.run()
    if not prober.wrong:
        prober.is_over = lambda: bool(prober.wrong)
        probe_state(prober, lambda: None)
    return f"{base.name}: {prober.wrong[0].words}" if prober.wrong else None


def samples_catch(plant: Plant, operators: list[Operator]) -> bool:
    """Whether the plain samples of the operator show it."""
    with plant.planted():
        for operator in operators:
            for dtype in dtypes_of(operator, None):
                if any(one.verdict in ("wrong", "flaky") for one in judge(operator, dtype, "pretend", SAMPLES)):
                    return True
    return False


def operators_of(plant: Plant) -> list[Operator]:
    names = {plant.op, *(name.split("::")[-1].split(".")[0].rstrip("_") for name in plant.aten)}
    return [one for one in all_operators() if one.source == "OpInfo" and names & one.spellings]


def count_false_alarms(bases: tuple[Base, ...], say: Callable[[str], None]) -> int:
    alarms = [caught for base in bases if (caught := _probe_base(base)) is not None]
    alarms += [f"copies: {condition}" for condition, _ in probe_copies(DEVICE, LOWERED)]
    alarms += [f"draw {name}: {one}" for name in DRAWS for one, _ in probe_randomness(name, DEVICE)]
    for alarm in alarms:
        say(f"false alarm: {alarm}")
    return len(alarms)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--controls", action="store_true")
    parser.add_argument("--seconds", type=float, default=1800.0, help="stop taking up faults after this")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    bases = all_bases()
    ops = reached_ops(bases)
    plants = PLANTS[::4] if chosen.quick else PLANTS
    started, caught, plain, missed, done = time.monotonic(), 0, 0, [], 0
    for plant in plants:
        if time.monotonic() - started > chosen.seconds:
            break
        done += 1
        reaching = sorted(
            (one for one in bases if is_reached(plant, ops[one.name])), key=lambda one: len(ops[one.name])
        )
        how = probe_plant(plant, reaching)
        by_samples = samples_catch(plant, operators_of(plant))
        caught, plain = caught + (how is not None), plain + by_samples
        missed += [] if how is not None else [plant.name]
        print(f"{plant.name} [{plant.classes}]: {how or 'MISSED'}; samples: {by_samples}", flush=True)
    alarms = count_false_alarms(bases, print) if chosen.controls else None
    result = {"plants": done, "of": len(plants), "caught": caught, "caught_by_opinfo_samples": plain, "missed": missed}
    print(json.dumps({**result, "false_alarms": alarms, "seconds": round(time.monotonic() - started, 1)}))


if __name__ == "__main__":
    main()
