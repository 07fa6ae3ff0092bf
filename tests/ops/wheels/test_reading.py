"""From a wheel to its facts: the archive, the index, ranges over HTTP, and what is kept."""

import http.server
import os
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.making_wheels import TEXTS, make_library, make_wheel

from torchstone.errors import UserError
from torchstone.ops.wheels.archive import Wheel, open_address
from torchstone.ops.wheels.index import WheelAddress, find_wheel, require_version
from torchstone.ops.wheels.installed import find_installed
from torchstone.ops.wheels.keeping import recall
from torchstone.ops.wheels.reading import gather
from torchstone.ops.wheels.remote import RemoteFile


def test_a_wheel_file_is_read_and_its_facts_are_kept(wheel: Path, own_cache: Path) -> None:
    facts = gather(wheel, deep=True)
    assert facts.torch == "2.13.0"
    assert facts.headers == ("relu", "floor")
    assert facts.python == ("qr.out",)
    assert facts.library is not None
    assert recall(facts.sha256, deep=True) == facts
    (kept,) = own_cache.glob("*.json")
    kept.write_text("{broken", encoding="utf-8")
    assert gather(wheel, deep=True) == facts


def test_kept_facts_without_the_library_do_not_stand_for_deep_ones(wheel: Path) -> None:
    assert gather(wheel).library is None
    assert gather(wheel, deep=True).library is not None
    assert gather("2.13", deep=True).library is not None  # kept: nothing is asked of an index


def test_facts_are_had_where_nothing_can_be_kept(wheel: Path, own_cache: Path) -> None:
    own_cache.parent.mkdir(parents=True)
    own_cache.write_text("a file where the folder should be", encoding="utf-8")
    assert gather(wheel).torch == "2.13.0"


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_wheel_that_is_cut_short_is_refused(wheel: Path, share: float) -> None:
    data = wheel.read_bytes()
    wheel.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(UserError, match="cut short or is no wheel"):
        gather(wheel)


def test_a_damaged_member_is_refused(wheel: Path) -> None:
    data = bytearray(wheel.read_bytes())
    with zipfile.ZipFile(wheel) as archive:
        start = archive.getinfo("torchgen/packaged/ATen/native/native_functions.yaml").header_offset
    data[start + 100 : start + 140] = bytes(40)
    wheel.write_bytes(data)
    with pytest.raises(UserError, match="cut short"):
        gather(wheel)


def test_a_wheel_of_another_system_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="manylinux_2_28_x86_64, which says nothing of MPS"):
        gather(make_wheel(tmp_path, platform="manylinux_2_28_x86_64"))


def test_a_renamed_wheel_of_another_system_is_refused_too(tmp_path: Path) -> None:
    path = make_wheel(tmp_path, platform="manylinux_2_28_x86_64").rename(tmp_path / "torch.whl")
    with pytest.raises(UserError, match="says nothing of MPS"):
        gather(path)


def test_a_wheel_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no wheel of torch"):
        gather(make_wheel(tmp_path, texts={"numpy/version.py": ""}))


def test_an_old_wheel_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="too old"):
        gather(make_wheel(tmp_path, release="2.5.1"))


def test_a_wheel_without_its_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds no torchgen/packaged"):
        gather(make_wheel(tmp_path, texts={"torch/version.py": ""}))


def test_a_wheel_without_a_library_is_refused_deep_alone(tmp_path: Path) -> None:
    path = make_wheel(tmp_path)
    assert gather(path).library is None
    with pytest.raises(UserError, match="libtorch_cpu"):
        gather(path, deep=True)


def test_tables_of_another_form_are_refused(tmp_path: Path) -> None:
    broken = {**TEXTS, "torch/testing/_internal/common_mps.py": "def ("}
    with pytest.raises(UserError, match="form that cannot be read"):
        gather(make_wheel(tmp_path, texts=broken))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read: No such file"):
        gather(tmp_path / "absent.whl")


@pytest.mark.parametrize(
    ("text", "version"), [("2.15", "2.15"), ("torch==2.12", "2.12"), ("torch == 2.15.0", "2.15.0")]
)
def test_releases_as_people_write_them(text: str, version: str) -> None:
    assert require_version(text) == version


@pytest.mark.parametrize("text", ["banana", "2", "", "2.15; rm", "latest"])
def test_what_is_no_release(text: str) -> None:
    with pytest.raises(UserError, match="no release of torch"):
        gather(text)


@pytest.fixture
def only_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pip set up, as a person may have it, to find wheels in a folder and nowhere else."""
    folder = tmp_path / "wheels here"
    folder.mkdir()
    for name in [one for one in os.environ if one.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", folder.as_uri())
    return folder


def test_a_release_is_found_as_pip_is_set_up(only_a_folder: Path) -> None:
    make_wheel(only_a_folder, release="2.14.0", library=make_library())
    facts = gather("2.14", deep=True)
    assert facts.torch == "2.14.0"
    assert facts.library is not None


def test_a_release_that_is_not_there_is_refused_with_those_that_are(only_a_folder: Path) -> None:
    make_wheel(only_a_folder, release="2.14.0")
    with pytest.raises(UserError, match=r"no wheel of torch 2\.99 for macos") as error:
        find_wheel("2.99")
    assert "2.14.0" in error.value.hint


def test_an_index_that_cannot_be_reached_is_one_sentence(only_a_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(UserError, match="cannot be looked up") as error:
        find_wheel("2.15")
    assert "--wheel FILE" in error.value.hint


class _Server(http.server.BaseHTTPRequestHandler):
    """Serves one file, by ranges where the class allows it."""

    data = b""
    ranges = True

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.data)))
        self.end_headers()

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        if wanted is None or not self.ranges:
            self._answer(200, self.data)
            return
        first, last = (int(part) for part in wanted.removeprefix("bytes=").split("-"))
        self._answer(206, self.data[first : last + 1])

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def served(wheel: Path) -> Iterator[tuple[str, type[_Server]]]:
    handler = type("Handler", (_Server,), {"data": wheel.read_bytes()})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{wheel.name}", handler
        server.shutdown()


def test_a_remote_wheel_is_read_by_ranges(served: tuple[str, type[_Server]], wheel: Path) -> None:
    url, handler = served
    handler.data = wheel.read_bytes() + b""
    remote = RemoteFile(url)
    archive = zipfile.ZipFile(remote)
    assert archive.read("torch/version.py").decode() == TEXTS["torch/version.py"]
    assert remote.seek(-4, 2) == len(handler.data) - 4
    assert remote.read() == handler.data[-4:]
    assert remote.read() == b""


def test_only_what_is_needed_travels(served: tuple[str, type[_Server]], tmp_path: Path) -> None:
    url, handler = served
    texts = {**TEXTS, "torch/lib/large.bin": os.urandom(600_000).hex()}
    handler.data = make_wheel(tmp_path, release="2.12.0", texts=texts).read_bytes()
    remote = RemoteFile(url)
    zipfile.ZipFile(remote).read("torch/version.py")
    assert remote.received < len(handler.data) / 4


def test_a_server_without_ranges_is_refused(served: tuple[str, type[_Server]]) -> None:
    url, handler = served
    handler.ranges = False
    with pytest.raises(UserError, match="does not serve parts"):
        open_address(WheelAddress(url, None))


def test_an_empty_answer_is_one_sentence(served: tuple[str, type[_Server]]) -> None:
    url, handler = served
    handler.data = b""
    with pytest.raises(UserError, match="cut short or is no wheel"):
        open_address(WheelAddress(url, None))


def test_a_server_that_is_gone_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(UserError, match="cannot be read from the package index"):
        open_address(WheelAddress("http://127.0.0.1:9/torch.whl", None))


def test_a_wheel_of_a_file_address_is_opened_without_a_session(wheel: Path) -> None:
    with open_address(WheelAddress(wheel.as_uri(), None)) as opened:
        assert isinstance(opened, Wheel)
        assert opened.name == wheel.name


def test_the_installed_torch_is_read() -> None:
    facts = gather()
    assert facts.torch == find_installed().release
    assert len(facts.keys) > 3000
    assert gather() == facts
