"""How a verdict of the atlas is put on record: one finding per operator, variant, dtype and direction."""

import re

from torchstone.records import Finding, Scalar
from torchstone.report.atlas import EITHER, KIND, LEVELS, WORST_FIRST, OpCell, cells_of

__all__ = ["EITHER", "KIND", "LEVELS", "WORST_FIRST", "OpCell", "cells_of", "finding", "is_about_dtype"]

_ABOUT_DTYPE = re.compile(
    r"not implemented for '\w+'|\bdtypes?\b|scalar type|data type|ScalarType"
    r"|\b(Double|Half|BFloat16|ComplexFloat|ComplexDouble|Long)\b"
    r"|\b(b?float(16|64)|complex(32|64|128)|u?int(8|16|32|64))\b"
)


def is_about_dtype(words: str) -> bool:
    """Whether a refusal speaks of the dtype rather than of the operator."""
    return _ABOUT_DTYPE.search(words) is not None


def finding(
    identity: dict[str, Scalar], direction: str, verdict: str, reason: str, hint: str | None = None, **facts: Scalar
) -> Finding:
    """One cell, as it is kept in a run."""
    name = f"{identity['name']}.{identity['variant']}" if identity["variant"] else f"{identity['name']}"
    subject = f"{name} {identity['dtype']} {direction} on {identity['device']}"
    return Finding(
        kind=KIND,
        subject=subject,
        verdict=verdict,
        level=LEVELS[verdict],
        tier="measured",
        evidence=reason,
        hint=hint,
        facts={**identity, "direction": direction, **facts},
    )
