"""Fresh processes, quickly: a call runs in a process of its own, with limits, and can be ended from outside.

Two ways, one answer (`Outcome`). A `ForkServer` has torch loaded already and forks a child for each call: about 10 ms
instead of the two seconds that importing torch takes. Metal, CUDA and other device runtimes do not survive a fork, so
there `run_spawned` starts Python anew. Calls travel with cloudpickle, so lambdas and notebook functions work too.

    outcome    what both sides know: limits, how a call ended, the way bytes travel
    asking     this side: hands a call over and waits for how it ends
    serving    the other side: the server that forks, and the fresh process itself
"""

from torchstone.processes.asking import SERVER_ENDED, ForkServer, fork_is_safe, fork_server_where_safe, run_spawned
from torchstone.processes.outcome import Ending, Limits, Outcome, is_out_of_memory

__all__ = [
    "SERVER_ENDED",
    "Ending",
    "ForkServer",
    "Limits",
    "Outcome",
    "fork_is_safe",
    "fork_server_where_safe",
    "is_out_of_memory",
    "run_spawned",
]
