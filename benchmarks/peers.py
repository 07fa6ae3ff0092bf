"""An environment for the peers that a benchmark compares with: of its own, but seeing our torch.

Peers are no dependencies of ours, and installing them beside ours could change the versions that are measured.
"""

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]


def install_peers(folder: str, packages: tuple[str, ...]) -> Path:
    """The Python of an environment under build/ that has these packages, and ours, so that torch is not installed
    again."""
    peers = ROOT / "build" / folder
    python = peers / "bin" / "python"
    if not python.exists():
        venv.create(peers, with_pip=True)
        theirs = subprocess.run(
            [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
            capture_output=True,
            text=True,
            check=True,
        )
        Path(theirs.stdout.strip(), "ours.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT / 'src'}\n")
    constraints = str(ROOT / "constraints.txt")
    command = [str(python), "-m", "pip", "install", "--quiet", "--constraint", constraints, *packages]
    subprocess.run(command, check=True, stdout=sys.stderr)
    return python
