"""What a sweep was asked for, as the run file keeps it: who goes on with the run goes on with that.

The words are those of a command line, so that a person who looks into the file can read them. How many processes work
at it, and for how long, is not among them: that may be another in every sitting.
"""

from dataclasses import dataclass, fields
from typing import Any

from torchstone.errors import UserError

DTYPE, SAMPLES, LIMIT, PROBE, SPEED = "--dtype", "--samples", "--limit", "--probe", "--speed"


@dataclass(frozen=True)
class Asked:
    """All that decides which cases there are, and what is asked in each."""

    patterns: tuple[str, ...] = ()
    dtypes: tuple[str, ...] = ()
    samples: int | None = None
    limit_s: float | None = None
    probe: bool = False
    speed: bool = False

    def as_words(self) -> tuple[str, ...]:
        """For the run file."""
        return (
            *self.patterns,
            *(f"{DTYPE}={name}" for name in self.dtypes),
            *([] if self.samples is None else [f"{SAMPLES}={self.samples}"]),
            *([] if self.limit_s is None else [f"{LIMIT}={self.limit_s:g}"]),
            *([PROBE] if self.probe else []),
            *([SPEED] if self.speed else []),
        )


def asked_from(words: tuple[str, ...]) -> Asked:
    """As the run file has it; a word that is not known here is of a newer torchstone."""
    options = [word.partition("=") for word in words if word.startswith("--")]
    values = {name: value for name, _, value in options}
    unknown = values.keys() - {DTYPE, SAMPLES, LIMIT, PROBE, SPEED}
    if unknown:
        hint = "go on with it in the torchstone that made it, or begin a new run"
        raise UserError(f"that run was asked for {', '.join(sorted(unknown))}, which is not known here", hint)
    return Asked(
        patterns=tuple(word for word in words if not word.startswith("--")),
        dtypes=tuple(value for name, _, value in options if name == DTYPE),
        samples=int(values[SAMPLES]) if SAMPLES in values else None,
        limit_s=float(values[LIMIT]) if LIMIT in values else None,
        probe=PROBE in values,
        speed=SPEED in values,
    )


def refuse_others(before: Asked, now: dict[str, Any]) -> None:
    """A run holds one sweep: what is named anew must be what it was asked for."""
    for field in fields(Asked):
        kept = getattr(before, field.name)
        if field.name in now and now[field.name] != kept:
            told = Asked(**{field.name: now[field.name]}).as_words()
            raise UserError(
                f"that run was asked for {' '.join(before.as_words()) or 'all operators'}, not {' '.join(told)}",
                "leave that out to go on with it, or begin a new run",
            )
