"""Planted faults: what detectors are judged by.

`PLANTS` are silent wrong answers, each under its trigger only, over the classes of faults that devices have had.
`ATLAS_PLANTS` are plain ones: missing, wrong, dtype-rejecting, crashing and hanging ops, each in an op of its own, so
that all can be planted at once (`planted_together`).

    for plant in PLANTS:
        with plant.planted():
            ...                     # does the detector say that the device is wrong?

For a process of its own: `TORCHSTONE_PRETEND_KNOBS=plants:NAME`, or `plants:atlas` for all plain ones, with the parent
of this folder on `PYTHONPATH`.
"""

from plants import (
    arguments,
    atlas,
    copies,
    draws,
    gradient_pairs,
    gradients,
    layout_pairs,
    layouts,
    other_pairs,
    plain,
    sizes,
    state,
    target_pairs,
    targets,
    values,
)
from plants.planting import LIMIT_15_BIT, LIMIT_16_BIT, LIMIT_32_BIT, Plant, is_right, knobs_together, planted_together
from torchstone.pretend import Knobs

ROOMS = (
    layouts,
    targets,
    sizes,
    values,
    gradients,
    state,
    copies,
    arguments,
    draws,
    plain,
    layout_pairs,
    target_pairs,
    gradient_pairs,
    other_pairs,
)
PLANTS: tuple[Plant, ...] = tuple(plant for room in ROOMS for plant in room.PLANTS)
ATLAS_PLANTS: tuple[Plant, ...] = tuple(atlas.PLANTS)
ATLAS = "atlas"
"""The name under which a process is given all plain faults at once."""

__all__ = [
    "ATLAS",
    "ATLAS_PLANTS",
    "LIMIT_15_BIT",
    "LIMIT_16_BIT",
    "LIMIT_32_BIT",
    "PLANTS",
    "Plant",
    "find",
    "is_right",
    "planted_together",
    "pretend_knobs",
]


def find(name: str) -> Plant:
    """A plant by its name."""
    return next(plant for plant in (*PLANTS, *ATLAS_PLANTS) if plant.name == name)


def pretend_knobs(name: str) -> Knobs:
    """What `torchstone.pretend.install` asks for by the environment."""
    return knobs_together(ATLAS_PLANTS) if name == ATLAS else find(name).device_knobs()
