"""The fastest right way to run a person's own model on this machine.

space     which setups there are to try
search    contests in worker processes: each engine against the plain run, then the best of them against each other
answer    the tied winners, the simplest first; what was wrong or lost; whether it is worth the bother
emitting  the winner as plain code
"""

from torchstone.tuning.answer import Answer, Winner
from torchstone.tuning.search import Wish, tune

__all__ = ["Answer", "Winner", "Wish", "tune"]
