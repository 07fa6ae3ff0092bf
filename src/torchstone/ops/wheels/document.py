"""The JSON form of the static atlas: `{"device", "torch", "cells": […]}`."""

from collections.abc import Iterable
from typing import Any

import msgspec

from torchstone.ops.wheels.evidence import DTYPES, Evidence


def as_document(evidence: Evidence, patterns: Iterable[str] = (), dtypes: Iterable[str] = DTYPES) -> dict[str, Any]:
    """What `ops --static DEVICE --json` prints: where it was read, and every cell that was asked for."""
    return {
        "device": evidence.device,
        "torch": evidence.torch,
        "source": evidence.source,
        "deep": evidence.deep,
        "cells": [msgspec.to_builtins(cell) for cell in evidence.cells(patterns, dtypes)],
    }
