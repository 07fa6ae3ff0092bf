"""Fresh processes: a call runs in a process of its own, within limits, talks if it wants to, and never outlives us.

Two ways, one handle. A `ForkServer` has torch loaded already and forks a child for each call: about 10 ms instead of
the two seconds that importing torch takes. Metal, CUDA and other device runtimes do not survive a fork, so there Python
is started anew. Calls travel with cloudpickle, so lambdas and notebook functions work too; what comes back are numbers,
text and records.

    outcome    what a call may use, and how it ended
    starting   this side: starts a call, forked or anew
    handle     this side: talks with it, waits for it, ends it
    serving    between: starts children, watches them, kills what nobody wants any more
    performing the child: runs the call and says how it ended
    killing    why a signal ended it
    channel    the child's end of the conversation
    wire       how bytes travel between the two
    tying      no process outlives its parent
    python     Python without the current folder on its path; where a fork is safe
"""

from torchstone.processes.channel import Channel
from torchstone.processes.handle import Handle, wait_for_any
from torchstone.processes.outcome import (
    SERVER_ENDED,
    Ending,
    Limits,
    Outcome,
    Raised,
    cut,
    is_out_of_memory,
    tell_error,
)
from torchstone.processes.python import fork_is_safe, python_command
from torchstone.processes.starting import ForkServer, fork_server_where_safe, run_spawned, start
from torchstone.processes.tying import adopt_orphans, end_orphans, tie_to_parent

__all__ = [
    "SERVER_ENDED",
    "Channel",
    "Ending",
    "ForkServer",
    "Handle",
    "Limits",
    "Outcome",
    "Raised",
    "adopt_orphans",
    "cut",
    "end_orphans",
    "fork_is_safe",
    "fork_server_where_safe",
    "is_out_of_memory",
    "python_command",
    "run_spawned",
    "start",
    "tell_error",
    "tie_to_parent",
    "wait_for_any",
]
