"""What the tests of wheels share: a cache of their own, and a made wheel."""

from pathlib import Path

import pytest
from tests.making_wheels import make_library, make_wheel


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Facts are kept apart from those of the person who runs the tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("torchstone.ops.wheels.keeping.folder", lambda: tmp_path / "cache" / "wheels")
    return tmp_path / "cache" / "wheels"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return make_wheel(tmp_path, library=make_library())
