"""The worker: lists the cases of its provider, then runs those that it is handed, telling every step."""

from collections.abc import Callable, Iterable

import msgspec

from torchstone.errors import UserError
from torchstone.measuring.side_effects import observed
from torchstone.measuring.timing import status_of
from torchstone.processes import Channel
from torchstone.records import Finding, Measurement, Setup
from torchstone.scheduling.case import Case, Listing, Record, Turn

Provider = Callable[[], Iterable[Case | UserError]]
"""Gives the cases, in the worker; a mistake that keeps some of them from being listed is given in their place."""


class Listed(msgspec.Struct, tag=True):
    """All cases, before the first is run."""

    cases: list[Listing]
    mistakes: list[tuple[str, str]]


class At(msgspec.Struct, tag=True):
    """What is at work from now on."""

    setup: Setup


class Note(msgspec.Struct, tag=True):
    """What is being done, for whoever watches."""

    words: str


class Found(msgspec.Struct, tag=True):
    """One record, safe on the disk before the next is made."""

    record: Measurement | Finding


class SoFar(msgspec.Struct, tag=True):
    """What the case would say if it ended now; its records, once it gives them, say more."""

    records: tuple[Record, ...]


class Mistake(msgspec.Struct, tag=True):
    """What a person did wrong, met in a case."""

    message: str
    hint: str


class Done(msgspec.Struct, tag=True):
    """The case has ended by itself."""

    is_undecided: bool = False


Message = Listed | At | Note | Found | SoFar | Mistake | Done


class Order(msgspec.Struct):
    """What a worker is handed."""

    key: str
    seconds: float
    earlier: tuple[Record, ...] = ()
    excluded: frozenset[str] = frozenset()


def work(provide: Provider, channel: Channel) -> None:
    """In a process of its own, until nothing more comes."""
    given = list(provide())
    cases = {one.listing.key: one for one in given if isinstance(one, Case)}
    mistakes = [(one.message, one.hint) for one in given if isinstance(one, UserError)]
    channel.send(Listed([one.listing for one in cases.values()], mistakes))
    for order in channel:
        _run(cases[order.key], order, channel)


def _run(case: Case, order: Order, channel: Channel) -> None:
    def tell(said: Setup | str) -> None:
        channel.send(At(said) if isinstance(said, Setup) else Note(said))

    def save(so_far: tuple[Record, ...]) -> None:
        channel.send(SoFar(so_far))

    turn = Turn(order.seconds, order.earlier, order.excluded, tell, save)
    records = iter(case.run(turn))
    try:
        while True:
            with observed() as seen:  # ends with the record: what is printed on its way is nobody's side effect
                record = next(records, None)
            if record is None:
                break
            channel.send(Found(msgspec.structs.replace(record, facts={**record.facts, **seen.facts()})))
    except UserError as error:
        channel.send(Mistake(error.message, error.hint))
    except Exception as error:  # the exception is the result
        channel.send(Found(case.listing.lost(*status_of(error))))
    channel.send(Done(turn.is_undecided))
