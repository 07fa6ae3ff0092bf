"""What watch mode hears: the learner's keys, the files that are saved, and the verdicts that come.

Each is told by a thread of its own into one queue, which the loop of watch mode answers.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Literal

from torchstone.learn import keys
from torchstone.learn.grader import Grader
from torchstone.learn.verdicts import Verdict
from torchstone.learn.workspace import Source, Workspace

WATCH_STEP_MS = 2
"""How long the file system must be quiet before a change is told: editors write in bursts."""
WATCH_DEBOUNCE_MS = 50
STOP_POLL_S = 0.05


@dataclass(frozen=True)
class Event:
    """A key, a change in the folder, its end, or a verdict that has come."""

    kind: Literal["key", "changed", "gone", "graded"]
    key: str = ""
    grading: "Grading | None" = None


def follow(workspace: Workspace, keyboard: keys.Keyboard) -> SimpleQueue[Event]:
    """Tell keys and changes in the folder from now on."""
    events: SimpleQueue[Event] = SimpleQueue()
    threading.Thread(target=_follow_keys, args=(keyboard, events), daemon=True).start()
    threading.Thread(target=_follow_folder, args=(workspace, events), daemon=True).start()
    return events


def _follow_keys(keyboard: keys.Keyboard, events: SimpleQueue[Event]) -> None:
    while True:
        key = keyboard.read()
        events.put(Event("key", key))
        if key == keys.END:
            return


def _follow_folder(workspace: Workspace, events: SimpleQueue[Event]) -> None:
    import watchfiles

    try:
        for _ in watchfiles.watch(workspace.folder, step=WATCH_STEP_MS, debounce=WATCH_DEBOUNCE_MS, watch_filter=None):
            events.put(Event("changed"))
            if not workspace.folder.is_dir():
                break
    except (OSError, RuntimeError):  # the folder went away, or the system allows no more watches
        pass
    events.put(Event("gone"))


class Grading:
    """One verdict on its way, in a thread of its own."""

    def __init__(
        self, source: Source, ask: Callable[[], Verdict], tell: SimpleQueue[Event], afterwards: Callable[[], None]
    ) -> None:
        self.source = source
        self.verdict: Verdict | None = None
        self.error: BaseException | None = None
        self._ask, self._tell, self._afterwards = ask, tell, afterwards
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.verdict = self._ask()
        except BaseException as error:  # handed to the loop, which raises it where it is seen
            self.error = error
        self._tell.put(Event("graded", grading=self))
        self._afterwards()

    def stop(self, grader: Grader) -> None:
        """End it, again and again until it has ended: its process may not even have begun."""
        while self._thread.is_alive():
            grader.cancel()
            self._thread.join(STOP_POLL_S)
