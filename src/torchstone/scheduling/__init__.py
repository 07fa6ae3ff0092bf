"""Runs cases in worker processes within one budget; knows nothing of what they measure.

case      what there is to run, and the turn that it is given
worker    the process that lists the cases and runs those that it is handed
runner    hands them out: one clock, N workers, every record safe at once, what dies is replaced, what hangs is ended
"""

from torchstone.scheduling.case import Case, Listing, Turn
from torchstone.scheduling.runner import Progress, Runner

__all__ = ["Case", "Listing", "Progress", "Runner", "Turn"]
