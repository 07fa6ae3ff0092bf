"""Preloaded for exercises that compile: the first graph imports and fills for half a second what every later one uses.

Compiled by torch's front end alone, which starts no thread, so that the server can still fork.
"""

import torch
import torch._dynamo
import torch._dynamo.testing
from torch._dynamo import guards


def _compile_once() -> None:
    compiled = torch.compile(lambda x: x * 2 + x.shape[0], backend="eager")
    with torch.no_grad():
        for length in (2, 3, 4):  # the second length makes it symbolic, which imports the most
            compiled(torch.zeros(length))
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()


if hasattr(guards, "profile_guard_manager"):
    # Torch times the guards of each graph, for its log alone, after it has emptied the processor's caches by writing 32
    # megabytes: half of the time that a small graph takes.
    guards.profile_guard_manager = lambda root, scope, repeats: 0.0
_compile_once()
