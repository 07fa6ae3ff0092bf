"""What a torch's own files say of a device that is not here: the static evidence.

Nothing of a wheel is ever run or imported: tables are read as text or as syntax, the macOS library as bytes. Every
verdict names its tier and quotes its source; *unknown* is a verdict.
"""

from torchstone.ops.wheels.cells import FAILURES, TIERS, Cell, Tier, Verdict
from torchstone.ops.wheels.difference import Difference, difference
from torchstone.ops.wheels.document import as_document
from torchstone.ops.wheels.evidence import DTYPES, Evidence, computing_dtype, evidence_for, newer_evidence
from torchstone.ops.wheels.keeping import numbers_of

__all__ = [
    "DTYPES",
    "FAILURES",
    "TIERS",
    "Cell",
    "Difference",
    "Evidence",
    "Tier",
    "Verdict",
    "as_document",
    "computing_dtype",
    "difference",
    "evidence_for",
    "newer_evidence",
    "numbers_of",
]
