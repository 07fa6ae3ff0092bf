"""What some operators take for themselves, for predictions: nothing sees it where nothing runs.

One family matters: oneDNN's LSTM on the CPU reorders its weights at every call and keeps the gates of every step, and
for the way back a workspace of many times its output, of which torch's fake operator says nothing. The factors were
measured over five shapes with torch 2.13 (batch 1 and 8, 64 and 128 steps, width 256 and 512): within 3 % of each.
"""

from dataclasses import dataclass
from typing import Any

GATES = 4
"""An LSTM's, each as large as the output."""
WORKSPACE = 15.5
"""What a layer keeps for the way back, in outputs."""
FORWARD, BACKWARD = "aten::mkldnn_rnn_layer", "aten::mkldnn_rnn_layer_backward"
_OUTPUT_OF_FORWARD, _WORKSPACE_OF_FORWARD = 0, 3
_OUTPUT_AMONG_BACKWARD = 7
_TRAINS = 15


@dataclass(frozen=True)
class OwnBuffers:
    """Bytes that an operator takes while it runs, and that one of its results keeps though it seems empty."""

    while_it_runs: int = 0
    kept: int = 0
    keeper: Any = None


NOTHING = OwnBuffers()


def foresee_own_buffers(operator: Any, args: Any, results: Any) -> OwnBuffers:
    """Of one call of an operator on the CPU."""
    name = str(operator._schema.name)
    if name == FORWARD:
        output_bytes = _bytes_of(results[_OUTPUT_OF_FORWARD])
        running = _bytes_of(args[1]) + _bytes_of(args[2]) + GATES * output_bytes
        kept = int(WORKSPACE * output_bytes) if args[_TRAINS] else 0
        return OwnBuffers(running, kept, results[_WORKSPACE_OF_FORWARD])
    if name == BACKWARD:
        return OwnBuffers(_bytes_of(args[1]) + _bytes_of(args[2]) + GATES * _bytes_of(args[_OUTPUT_AMONG_BACKWARD]))
    return NOTHING


def _bytes_of(tensor: Any) -> int:
    return int(tensor.numel() * tensor.element_size())
