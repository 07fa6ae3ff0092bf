"""Every planted fault shows under its trigger, and under its trigger only."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import plants
import torchstone.pretend as pretend
from plants import ATLAS_PLANTS, PLANTS, Plant, is_right
from plants.planting import DEVICE

BENCHMARKS = Path(plants.__file__).parents[1]
CLASSES = "ABCDEFGHIJKLMNPQRS"
"""Of silent faults that a pretend device can have: not those of a compiler."""
DEADLY = ("crash", "hang")
LIVING = [plant for plant in ATLAS_PLANTS if plant.kind not in DEADLY]
SIGNALS = {"crash": (-signal.SIGABRT, -signal.SIGSEGV), "hang": (-signal.SIGALRM,)}


def name_of(plant: Plant) -> str:
    return plant.name


@pytest.mark.parametrize("plant", PLANTS, ids=name_of)
def test_a_fault_shows_under_its_trigger_only(plant: Plant) -> None:
    with plant.unplanted():
        assert is_right(plant.witness)
    with plant.planted():
        assert not is_right(plant.witness)
    for control in plant.controls:
        with plant.planted():
            assert is_right(control)
    assert is_right(plant.controls[0])


@pytest.mark.parametrize("plant", LIVING, ids=name_of)
def test_a_plain_fault_shows_in_its_op(plant: Plant) -> None:
    with plant.unplanted():
        assert is_right(plant.witness)
    with plant.planted():
        assert is_right(plant.controls[0])
        if plant.kind == "wrong":
            assert not is_right(plant.witness)
        else:
            with pytest.raises((NotImplementedError, TypeError, RuntimeError)):
                plant.witness(DEVICE)


def test_crashes_and_hangs_end_a_process_of_their_own() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "plants.children"], cwd=BENCHMARKS, capture_output=True, text=True, timeout=240
    )
    ends = json.loads(ended.stdout.splitlines()[-1])
    deadly = [plant for plant in ATLAS_PLANTS if plant.kind in DEADLY]
    assert set(ends) == {plant.name for plant in deadly}
    for plant in deadly:
        witness, control = ends[plant.name]
        assert witness in SIGNALS[plant.kind], plant.name
        assert control == 0, plant.name


def test_the_faults_cover_the_classes_and_a_third_need_two_conditions() -> None:
    assert set("".join(plant.classes for plant in PLANTS)) == set(CLASSES)
    pairs = [plant for plant in PLANTS if len(plant.classes) > 1]
    assert len(PLANTS) >= 72
    assert 3 * len(pairs) >= len(PLANTS)
    for plant in pairs:
        assert len(plant.controls) >= 2, f"{plant.name} must be right where either condition is met alone"


def test_names_are_unique_and_plain_faults_sit_in_ops_of_their_own() -> None:
    names = Counter(plant.name for plant in (*PLANTS, *ATLAS_PLANTS))
    assert max(names.values()) == 1
    assert len(ATLAS_PLANTS) >= 34
    assert len({plant.aten for plant in ATLAS_PLANTS}) == len(ATLAS_PLANTS)


def test_all_plain_faults_can_be_planted_at_once() -> None:
    before = pretend.knobs()
    with plants.planted_together(ATLAS_PLANTS):
        assert all(is_right(plant.controls[0]) for plant in LIVING)
        assert not any(is_right(plant.witness) for plant in LIVING if plant.kind == "wrong")
    assert pretend.knobs() is before


def test_a_process_is_given_its_fault_by_the_environment() -> None:
    program = (
        "import torchstone.pretend as pretend; pretend.install()\n"
        "import plants; plant = plants.find('gelu_strided')\n"
        "print(plants.is_right(plant.witness), plants.is_right(plant.controls[0]))"
    )
    environment = {**os.environ, "PYTHONPATH": str(BENCHMARKS), pretend.KNOBS_VARIABLE: "plants:gelu_strided"}
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=240
    )
    assert ended.stdout == "False True\n"
