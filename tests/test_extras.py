"""A missing extra is one sentence with the pip command."""

import sys
from pathlib import Path

import pytest

from torchstone.errors import UserError
from torchstone.extras import HINT, import_extra


def test_a_missing_package() -> None:
    with pytest.raises(UserError, match="the package no_such_package is not installed") as caught:
        import_extra("no_such_package")
    assert caught.value.hint == HINT == "pip install 'torchstone[bench]'"


@pytest.mark.parametrize("line", ["import no_such_package", "raise RuntimeError('operator x::nms does not exist')"])
def test_a_broken_package(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_extra.py").write_text(line)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UserError, match="broken_extra cannot be imported") as caught:
        import_extra("broken_extra")
    assert HINT in caught.value.hint
    assert "broken_extra" not in sys.modules
