"""Who works on the pretend device: a folder with a file for each process, as a driver keeps a context for each.

A process that ends takes its file away; one that is killed leaves it, and then the device is lost for all others, as
some real ones are. So can be tested what a program does about it.
"""

import atexit
import os
from pathlib import Path


def sign_in(folder: Path, device: str) -> None:
    """Write this process down; raise what a lost device raises, where another died here."""
    own = folder / str(os.getpid())
    if not own.exists():
        own.touch()
        atexit.register(own.unlink, missing_ok=True)
    dead = [entry.name for entry in folder.iterdir() if not _is_alive(int(entry.name))]
    if dead:
        raise RuntimeError(f"{device} error: the device is lost, since process {dead[0]} died while it worked on it")


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
