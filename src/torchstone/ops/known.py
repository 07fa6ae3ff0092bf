"""Names and dtypes of all operators, kept between runs, so that a mistyped one is refused at once.

To know them takes the import of torch's samples: five seconds, and five times as many on a busy machine. What is kept
is of one torch and of one state of this folder; of another it is as good as none, and the names are looked up anew.
"""

import contextlib
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import platformdirs
import torch

from torchstone.errors import UserError, spell_some
from torchstone.files import write_whole
from torchstone.ops.operators import Operator, dtype_name, matching


class Known(msgspec.Struct, frozen=True):
    """What a request can be held against without the operator's samples."""

    full_name: str
    spellings: frozenset[str]
    dtypes: frozenset[str]
    """In which the CPU does it."""


def known_of(operators: Iterable[Operator]) -> tuple[Known, ...]:
    """Of operators that are here."""
    return tuple(Known(one.full_name, one.spellings, frozenset(map(dtype_name, one.dtypes))) for one in operators)


def keep_known(operators: Sequence[Operator]) -> None:
    """For the next run; a full disk costs it time, not this one its answer."""
    path = _path()
    with contextlib.suppress(OSError):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, msgspec.json.encode(known_of(operators)))


def recall_known() -> tuple[Known, ...]:
    """As an earlier run kept them; none where there was none, or its file is damaged."""
    try:
        return msgspec.json.decode(_path().read_bytes(), type=tuple[Known, ...])
    except (OSError, msgspec.MsgspecError):
        return ()


def refuse_mistaken(patterns: Sequence[str], dtypes: Sequence[str]) -> None:
    """Before a worker is started, where the names are known from before; else the worker refuses them."""
    known = recall_known()
    if known:
        refuse_unjudged(matching(known, patterns), dtypes)


def refuse_unjudged(chosen: Sequence[Known], dtypes: Sequence[str]) -> None:
    """Where the CPU does none of them in a dtype that was named: a sweep without a case would end as if all were
    fine."""
    there_are = sorted({dtype for one in chosen for dtype in one.dtypes})
    if dtypes and not set(dtypes) & set(there_are):
        names = spell_some([one.full_name for one in chosen])
        raise UserError(
            f"nothing can be judged: the CPU, which answers are compared with, does not do {names} "
            f"in {' or '.join(dtypes)}",
            f"dtypes that it does: {', '.join(there_are)}",
        )


def _path() -> Path:
    stamp = zlib.crc32(torch.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        stamp = zlib.crc32(source.read_bytes(), stamp)
    return platformdirs.user_cache_path("torchstone") / "operators" / f"{stamp:08x}.json"
