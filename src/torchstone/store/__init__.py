"""Runs on disk or in a cloud.

places    where bytes are kept, and how safely
runs      a run file: appended record by record, read back torn or whole, found by name
"""

from torchstone.store.places import RUNS_VARIABLE
from torchstone.store.runs import (
    SUFFIX,
    RunFileWarning,
    RunWriter,
    continue_run,
    default_runs_url,
    find_run,
    list_runs,
    new_run_id,
    read_part,
    read_run,
    start_run,
)

__all__ = [
    "RUNS_VARIABLE",
    "SUFFIX",
    "RunFileWarning",
    "RunWriter",
    "continue_run",
    "default_runs_url",
    "find_run",
    "list_runs",
    "new_run_id",
    "read_part",
    "read_run",
    "start_run",
]
