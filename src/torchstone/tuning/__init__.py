"""The fastest right way to run a person's own model on this machine.

space     which setups there are to try: all of them
choosing  which of those are worth the seconds, from what is known already
search    contests in a worker process: the plain run's changes, each engine, whatever else may be near, the best
workshop  what the worker does; amounts its bytes and joules, batches larger ones, chance steps of random models
scoring   from records to how good each setup is at what was asked
doubting  what is not recommended however fast it was: other threads on a busy machine, fewer bits of unverified answers
winning   the tied winners, the simplest first; who was not decided
answer    all of it, with what was wrong or lost; advising says it in a sentence
emitting  the winner as plain code
"""

from torchstone.tuning.advising import findings_of
from torchstone.tuning.answer import Answer
from torchstone.tuning.scoring import Question
from torchstone.tuning.search import Wish, tune
from torchstone.tuning.winning import Winner

__all__ = ["Answer", "Question", "Winner", "Wish", "findings_of", "tune"]
