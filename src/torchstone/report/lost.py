"""Setups that broke in one case of a run: the speed that another case measured in them is neither advice nor headline.

A model that ends its process at the hundredth call has a speed until then.
"""

from collections.abc import Sequence

from torchstone.records import Measurement, Setup
from torchstone.report.names import Work, call_of

BROKEN = ("failed", "wrong")


def without_lost(measurements: Sequence[Measurement]) -> list[Measurement]:
    """All but the speeds of calls that failed, or gave a wrong answer, in the same setup elsewhere in the run."""
    lost = {(call_of(one.name), one.setup) for one in measurements if one.status in BROKEN and call_of(one.name)}
    return [one for one in measurements if one.status != "ok" or (call_of(one.name), one.setup) not in lost]


def lost_calls(measurements: Sequence[Measurement]) -> list[tuple[Work, Setup]]:
    """Those that ran in one case and broke in another."""
    kept = set(map(id, without_lost(measurements)))
    found = [(call, one.setup) for one in measurements if id(one) not in kept and (call := call_of(one.name))]
    return list(dict.fromkeys(found))
