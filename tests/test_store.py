"""Run files on real disks and a real S3 protocol server: nothing that was acknowledged is ever lost."""

import errno
import json
import os
import random
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import pytest

from torchstone import records, store
from torchstone.errors import UserError
from torchstone.records import Device, Environment, Finding, Measurement, Run, Setup
from torchstone.store import RunFileWarning, RunWriter, continue_run, find_run, list_runs, read_run, start_run
from torchstone.store import places as store_places
from torchstone.store import runs as store_runs

ENVIRONMENT = Environment(torch="2.13.0", python="3.11", os="Linux", chip="Chip", physical_cores=2, threads=2)
CPU = Device(id="cpu", kind="cpu", vendor="v", name="n", memory_bytes=1, unified_memory=True)
WRITER = """
import sys
from torchstone.records import Environment, Measurement, Setup
from torchstone.store import start_run

where, count, padding = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
environment = Environment(torch="2.13.0", python="3.11", os="Linux", chip="Chip", physical_cores=2, threads=2)
writer = start_run("test", environment, (), where)
print(writer.url, flush=True)
for number in range(count):
    facts = {"padding": "x" * padding}
    writer.append(Measurement(name=str(number), setup=Setup(), unit="s", samples=(float(number + 1),), facts=facts))
    print(number, flush=True)
"""


def measurement(number: int = 0, **facts: records.Scalar) -> Measurement:
    return Measurement(name=str(number), setup=Setup(), unit="s", samples=(1.0, float(number + 1)), facts=facts)


def finding() -> Finding:
    return Finding(kind="doctor", subject="s", verdict="warning", tier="stated", evidence="é ×")


def new_writer(where: Path | str) -> RunWriter:
    return start_run("test", ENVIRONMENT, (CPU,), str(where))


def start_writer(where: str, count: int = 1_000_000, padding: int = 0) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, where, str(count), str(padding)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def kill_after(writer: "subprocess.Popen[str]", acknowledged: int) -> tuple[str, int]:
    """Kill a writer once it has acknowledged so many records; the run's URL and how many it did acknowledge in all."""
    assert writer.stdout is not None
    url = writer.stdout.readline().strip()
    for _ in range(acknowledged):
        writer.stdout.readline()
    writer.send_signal(signal.SIGKILL)
    rest = writer.stdout.read().splitlines()
    writer.stdout.close()
    assert writer.wait() == -signal.SIGKILL
    return url, acknowledged + len(rest)


def check_nothing_lost(url: str, acknowledged: int, recwarn: pytest.WarningsRecorder) -> None:
    run = read_run(url)
    assert [one.name for one in run.measurements] == [str(number) for number in range(len(run.records))]
    # One more may have been written whole before its number was printed.
    assert acknowledged <= len(run.records) <= acknowledged + 1
    assert {warning.category for warning in recwarn.list} <= {RunFileWarning}


WITHOUT_ITEMS = b'{"record":"measurement","name":"a","setup":{},"unit":"s","samples":[0.1],"facts":{"items":ITEMS}}'


class TestFolder:
    def test_append_and_read(self, tmp_path: Path) -> None:
        writer = new_writer(tmp_path / "new" / "folder")
        appended = (measurement(1), finding(), measurement(2))
        for one in appended:
            writer.append(one)
        run = read_run(writer.url)
        assert run == writer.run
        assert run.records == appended
        assert run.devices == (CPU,)
        assert run.schema == records.SCHEMA

    def test_each_record_can_be_read_before_the_next(self, tmp_path: Path) -> None:
        writer = new_writer(tmp_path)
        for number in range(5):
            assert len(read_run(writer.url).records) == number
            writer.append(measurement(number))

    def test_each_record_is_synced_before_append_returns(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        synced: list[int] = []
        real = os.fsync

        def fsync(descriptor: int) -> None:
            real(descriptor)
            synced.append(os.fstat(descriptor).st_size)

        monkeypatch.setattr(os, "fsync", fsync)
        writer = new_writer(tmp_path)
        for number in range(3):
            writer.append(measurement(number))
            assert synced[-1] == Path(writer.url).stat().st_size

    def test_a_run_that_has_records_already_is_written_with_them(self, tmp_path: Path) -> None:
        run = Run(id="1", started="s", command="c", environment=ENVIRONMENT, records=(measurement(1),))
        writer = RunWriter(run, str(tmp_path))
        writer.append(measurement(2))
        assert read_run(writer.url).records == (measurement(1), measurement(2)) == writer.run.records

    def test_an_existing_run_is_never_written_over(self, tmp_path: Path) -> None:
        run = Run(id="same", started="s", command="c", environment=ENVIRONMENT)
        first = RunWriter(run, str(tmp_path))
        first.append(measurement(1))
        with pytest.raises(UserError, match="File exists"):
            RunWriter(run, str(tmp_path))
        assert read_run(first.url) == first.run

    def test_ids_sort_by_time_and_differ(self) -> None:
        ids = [store.new_run_id() for _ in range(50)]
        assert len(set(ids)) == 50
        assert len({one.split("-")[0] for one in ids}) <= 2

    def test_list_runs(self, tmp_path: Path) -> None:
        assert list_runs(str(tmp_path / "none")) == []
        assert list_runs(str(tmp_path)) == []
        urls = [
            RunWriter(Run(id=id, started="s", command="c", environment=ENVIRONMENT), str(tmp_path)).url
            for id in ("b", "c", "a")
        ]
        (tmp_path / "note.txt").write_text("not a run")
        assert list_runs(f"{tmp_path}/") == sorted(urls)
        with pytest.raises(UserError, match="Not a directory"):
            list_runs(urls[0])

    def test_the_default_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
        monkeypatch.delenv(store.RUNS_VARIABLE, raising=False)
        assert store.default_runs_url().endswith("torchstone/runs")
        monkeypatch.setenv(store.RUNS_VARIABLE, str(tmp_path / "mine"))
        writer = start_run("test", ENVIRONMENT, ())
        assert Path(writer.url).parent == tmp_path / "mine"
        assert list_runs() == [writer.url]

    def test_a_relative_folder_and_a_file_url(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        assert read_run(new_writer("runs").url).command == "test"
        assert read_run(new_writer(f"file://{tmp_path}/runs/").url).command == "test"
        assert len(list(tmp_path.glob("runs/*.jsonl"))) == 2

    def test_ctrl_c_while_writing_leaves_no_half_line(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        writer = new_writer(tmp_path)

        def interrupted(descriptor: int, data: Any) -> None:
            os.write(descriptor, data[:10])
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(store_places, "_write_all", interrupted)
            with pytest.raises(KeyboardInterrupt):
                writer.append(measurement(1))
        writer.append(measurement(2))
        assert read_run(writer.url).records == (measurement(2),)


class TestKilled:
    """`kill -9` at moments that nobody chose."""

    @pytest.mark.filterwarnings("always::torchstone.store.RunFileWarning")  # a torn line may or may not be there
    @pytest.mark.parametrize("padding", [0, 300_000])
    def test_a_killed_writer_loses_nothing_acknowledged(
        self, tmp_path: Path, padding: int, recwarn: pytest.WarningsRecorder
    ) -> None:
        chance = random.Random(padding)
        with ExitStack() as stack:
            writers = [stack.enter_context(start_writer(str(tmp_path), padding=padding)) for _ in range(3)]
            for writer in writers:
                check_nothing_lost(*kill_after(writer, chance.randrange(30)), recwarn)
        assert len(list_runs(str(tmp_path))) == 3

    def test_torn_at_any_byte_the_rest_is_read(self, tmp_path: Path) -> None:
        writer = new_writer(tmp_path)
        writer.append(measurement(1))
        whole = Path(writer.url).stat().st_size
        writer.append(finding())
        content = Path(writer.url).read_bytes()
        torn = tmp_path / "torn.jsonl"
        for end in range(whole + 1, len(content) - 1):
            torn.write_bytes(content[:end])
            with pytest.warns(RunFileWarning, match="last line is torn"):
                assert read_run(str(torn)).records == (measurement(1),)
        torn.write_bytes(content[:whole])
        assert read_run(str(torn)).records == (measurement(1),)

    def test_a_whole_last_line_counts_without_its_end(self, tmp_path: Path) -> None:
        """As an editor or a copy leaves it; who goes on with the run ends the line first."""
        writer = new_writer(tmp_path)
        writer.append(measurement(1))
        writer.close()
        path = Path(writer.url)
        path.write_bytes(path.read_bytes()[:-1])
        assert read_run(writer.url).records == (measurement(1),)
        reopened = RunWriter.reopen(writer.url)
        reopened.append(measurement(2))
        reopened.close()
        assert read_run(writer.url).records == (measurement(1), measurement(2))


@pytest.mark.parametrize("count", [2, 4])
def test_processes_that_write_to_one_folder_never_harm_each_other(tmp_path: Path, count: int) -> None:
    with ExitStack() as stack:
        writers = [stack.enter_context(start_writer(str(tmp_path), count=40, padding=2000)) for _ in range(count)]
        assert [writer.communicate()[0].split()[1:] for writer in writers] == [list(map(str, range(40)))] * count
    runs = [read_run(url) for url in list_runs(str(tmp_path))]
    assert len({run.id for run in runs}) == count
    for run in runs:
        assert [one.name for one in run.measurements] == list(map(str, range(40)))


class TestDisksThatRefuse:
    @pytest.fixture
    def mount(self, tmp_path: Path) -> Iterator[Any]:
        """Mounts a small file system of its own; root alone may."""
        mounted: list[Path] = []

        def mount(options: str) -> Path:
            folder = tmp_path / f"disk{len(mounted)}"
            folder.mkdir()
            command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=False)
            except FileNotFoundError:
                pytest.skip("this system has no mount command")
            if done.returncode:
                pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
            mounted.append(folder)
            return folder

        yield mount
        for folder in mounted:
            subprocess.run(["umount", str(folder)], check=True)

    def test_a_full_disk_keeps_what_was_written(self, mount: Any) -> None:
        disk: Path = mount("size=64k")
        writer = new_writer(disk / "runs")

        def fill() -> None:
            for number in range(1000):
                writer.append(measurement(number, padding="x" * 1000))

        with pytest.raises(UserError, match="No space left") as caught:
            fill()
        assert "the disk is full" in caught.value.hint
        assert 10 < len(writer.run.records) < 64
        assert read_run(writer.url) == writer.run
        with pytest.raises(UserError, match="No space left"):
            new_writer(disk / "runs")
        assert list_runs(str(disk / "runs")) == [writer.url]
        writer.close()

    def test_after_space_is_freed_it_goes_on(self, mount: Any) -> None:
        disk: Path = mount("size=64k")
        writer = new_writer(disk)
        ballast = disk / "ballast"
        with pytest.raises(OSError, match="No space left"):
            ballast.write_bytes(b"x" * 100_000)
        with pytest.raises(UserError, match="No space left"):
            writer.append(measurement(1, padding="x" * 5000))
        ballast.unlink()
        writer.append(measurement(2, padding="x" * 5000))
        assert [one.name for one in read_run(writer.url).measurements] == ["2"]
        writer.close()

    def test_a_read_only_disk(self, mount: Any) -> None:
        with pytest.raises(UserError, match="Read-only file system") as caught:
            new_writer(mount("ro,size=64k"))
        assert "give another with --runs" in caught.value.hint

    def test_a_file_size_limit(self, tmp_path: Path) -> None:
        limited = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))\n{WRITER}"
        command = [sys.executable, "-c", limited, str(tmp_path), "1000", "1000"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert "UserError: cannot use" in done.stderr
        assert "File too large" in done.stderr
        [url] = list_runs(str(tmp_path))
        assert len(read_run(url).records) == len(done.stdout.split()) - 1 > 5

    @pytest.mark.parametrize("where", ["/proc/torchstone", "/dev/null", "/dev/null/runs", "/sys/torchstone"])
    def test_places_that_are_no_folder(self, where: str) -> None:
        with pytest.raises(UserError, match=f"cannot use {where}") as caught:
            new_writer(where)
        assert "--runs" in caught.value.hint


class TestFilesThatAreNoRuns:
    @pytest.fixture
    def good(self, tmp_path: Path) -> Path:
        writer = new_writer(tmp_path)
        writer.append(measurement(1))
        writer.append(measurement(2))
        return Path(writer.url)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "is empty"),
            (b"{", "holds no whole line"),
            (b'{"schema": "torchstone/1"}', "holds no whole line"),
            (b"\x00\xff\xfe\x80junk\n\x00\n", "is not a torchstone run"),
            (bytes(range(256)) * 40, "is not a torchstone run"),
            (b"hello\nworld\n", "is not a torchstone run"),
            (b"\n\n", "is not a torchstone run"),
            (b"[1, 2]\n", "is not a torchstone run"),
            (b'{"x":' + b"[" * 100_000 + b"\n", "is not a torchstone run"),
            (b'{"schema":"pyperf/1"}\n', "its schema is 'pyperf/1'"),
            (b'{"schema":"torchstone/3","new":[]}\n', "has schema 'torchstone/3'; this torchstone reads"),
            (b'{"schema":"torchstone/1"}\n', "line 1: Object missing required field"),
            (b'{"schema":"torchstone/1","record":"run","id":"\xff"}\n', "line 1: "),
        ],
        ids=lambda value: repr(value)[:30],
    )
    def test_the_first_line_says_what_it_is(self, tmp_path: Path, content: bytes, message: str) -> None:
        path = tmp_path / "strange.jsonl"
        path.write_bytes(content)
        with pytest.raises(UserError, match=message) as caught:
            read_run(str(path))
        assert str(path) in caught.value.message
        assert caught.value.hint

    def test_a_newer_version_names_the_way_out(self, good: Path) -> None:
        good.write_bytes(good.read_bytes().replace(b"torchstone/2", b"torchstone/7", 1))
        with pytest.raises(UserError, match="'torchstone/7'") as caught:
            read_run(str(good))
        assert "pip install -U torchstone" in caught.value.hint

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            (b"junk", "line 3: JSON is malformed"),
            (b"\xff\xff", "line 3: "),
            (b'{"record":"measurement","name":"\xff"}', "line 3: "),
            (b'{"record":"measurement"}', "line 3: Object missing required field"),
            (b'{"record":"poem"}', "line 3: Invalid value 'poem'"),
            (b"[" * 100_000, "line 3: "),
            (WITHOUT_ITEMS.replace(b"ITEMS", b"-3"), "line 3: items must be a count up to 1e.18, not -3"),
            (WITHOUT_ITEMS.replace(b"ITEMS", b"1e308"), "line 3: times and facts must be finite|line 3: items must be"),
            (WITHOUT_ITEMS.replace(b"ITEMS", b"0"), "line 3: items must be more than nothing"),
            (WITHOUT_ITEMS.replace(b"ITEMS", b"NaN"), "line 3: JSON is malformed"),
        ],
        ids=lambda value: repr(value)[:30],
    )
    def test_a_corrupt_line_in_the_middle_is_named(self, good: Path, line: bytes, message: str) -> None:
        lines = good.read_bytes().split(b"\n")
        good.write_bytes(b"\n".join([*lines[:2], line, *lines[2:]]))
        with pytest.raises(UserError, match=message) as caught:
            read_run(str(good))
        assert "take line 3 out" in caught.value.hint

    def test_empty_lines_do_not_matter(self, good: Path) -> None:
        good.write_bytes(good.read_bytes().replace(b"\n", b"\n\n"))
        assert len(read_run(str(good)).records) == 2

    def test_windows_line_ends_do_not_matter(self, good: Path) -> None:
        good.write_bytes(good.read_bytes().replace(b"\n", b"\r\n"))
        assert len(read_run(str(good)).records) == 2

    def test_a_byte_order_mark_does_not_matter(self, good: Path) -> None:
        """Editors of Windows put one before a file that is saved with them."""
        good.write_bytes(b"\xef\xbb\xbf" + good.read_bytes())
        assert len(read_run(str(good)).records) == 2

    def test_unknown_fields_are_refused(self, good: Path) -> None:
        good.write_bytes(good.read_bytes().replace(b'"command":', b'"mood":"good","command":', 1))
        with pytest.raises(UserError, match="unknown field `mood`"):
            read_run(str(good))

    def test_a_folder_in_place_of_a_file(self, tmp_path: Path) -> None:
        with pytest.raises(UserError, match="Is a directory"):
            read_run(str(tmp_path))

    def test_nothing_there(self, tmp_path: Path) -> None:
        with pytest.raises(UserError, match="No such file") as caught:
            read_run(str(tmp_path / "none.jsonl"))
        assert "`last` is the newest" in caught.value.hint


class TestOtherFileSystems:
    @pytest.mark.parametrize("where", ["memory://", "memory://some/runs", "memory://some/runs/"])
    def test_memory(self, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        writer = new_writer(where)
        for number in range(3):
            writer.append(measurement(number))
        assert read_run(writer.url) == writer.run
        assert writer.url in list_runs(where)
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("where", ["gopher://x/runs", "nonsense://x", "zip://x", "ftp://127.0.0.1:1/runs"])
    def test_schemes_that_nothing_serves(self, where: str) -> None:
        with pytest.raises(UserError, match="cannot") as caught:
            new_writer(where)
        assert caught.value.hint

    def test_a_store_without_append_is_written_anew(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from fsspec.implementations.memory import MemoryFileSystem

        real = MemoryFileSystem._open

        def no_append(self: Any, path: str, mode: str = "rb", **options: Any) -> Any:
            if "a" in mode:
                raise NotImplementedError("no append here")
            return real(self, path, mode=mode, **options)

        monkeypatch.setattr(MemoryFileSystem, "_open", no_append)
        writer = new_writer("memory://anew")
        writer.append(measurement(1))
        writer.append(measurement(2))
        assert read_run(writer.url).records == (measurement(1), measurement(2))

    def test_nothing_there(self) -> None:
        with pytest.raises(UserError, match="No such file"):
            read_run("memory://nowhere/none.jsonl")


S3_VARIABLES = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


@pytest.fixture(scope="module")
def s3_server() -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


class TestS3:
    """The URL alone, as a person would give it: address and credentials come from the usual variables."""

    @pytest.fixture
    def bucket(self, s3_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
        import boto3
        import s3fs

        for name, value in {**S3_VARIABLES, "AWS_ENDPOINT_URL": s3_server}.items():
            monkeypatch.setenv(name, value)
        s3fs.S3FileSystem.clear_instance_cache()
        name = f"bucket-{secrets.token_hex(5)}"
        client = boto3.client("s3", endpoint_url=s3_server)
        client.create_bucket(Bucket=name)
        client.close()
        yield f"s3://{name}/runs"
        s3fs.S3FileSystem.clear_instance_cache()

    def test_append_and_read(self, bucket: str) -> None:
        assert list_runs(bucket) == []
        writer = new_writer(bucket)
        for number in range(4):
            assert len(read_run(writer.url).records) == number
            writer.append(measurement(number))
        writer.append(finding())
        assert read_run(writer.url) == writer.run
        assert list_runs(bucket) == [writer.url]

    def test_a_run_of_more_than_one_part(self, bucket: str) -> None:
        """Beyond 5 MB s3fs appends by copying the object's parts."""
        writer = new_writer(bucket)
        for number in range(3):
            writer.append(measurement(number, padding="x" * 3_000_000))
        writer.append(measurement(3))
        assert read_run(writer.url) == writer.run

    @pytest.mark.filterwarnings("always::torchstone.store.RunFileWarning")
    def test_a_killed_writer_loses_nothing_acknowledged(self, bucket: str, recwarn: pytest.WarningsRecorder) -> None:
        with ExitStack() as stack:
            writers = [stack.enter_context(start_writer(bucket, padding=10_000)) for _ in range(2)]
            for writer, acknowledged in zip(writers, (0, 7), strict=True):
                url, count = kill_after(writer, acknowledged)
                run = read_run(url)
                assert [one.name for one in run.measurements] == [str(number) for number in range(len(run.records))]
                assert count <= len(run.records) <= count + 1
        assert RunFileWarning not in {warning.category for warning in recwarn.list}

    def test_two_writers(self, bucket: str) -> None:
        with ExitStack() as stack:
            writers = [stack.enter_context(start_writer(bucket, count=10)) for _ in range(2)]
            for writer in writers:
                writer.communicate()
        runs = [read_run(url) for url in list_runs(bucket)]
        assert [len(run.records) for run in runs] == [10, 10]

    def test_no_such_bucket(self, bucket: str) -> None:
        with pytest.raises(UserError, match="cannot use s3://no-such-bucket-here"):
            new_writer("s3://no-such-bucket-here/runs")
        with pytest.raises(UserError, match="No such file"):
            read_run("s3://no-such-bucket-here/runs/none.jsonl")
        with pytest.raises(UserError, match="No such file"):
            read_run(f"{bucket}/none.jsonl")

    def test_no_server(self, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
        import s3fs

        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
        monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
        s3fs.S3FileSystem.clear_instance_cache()
        with pytest.raises(UserError, match="Could not connect") as caught:
            new_writer(bucket)
        assert "check the address" in caught.value.hint

    def test_no_credentials(self, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        import s3fs

        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
        monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
        s3fs.S3FileSystem.clear_instance_cache()
        with pytest.raises(UserError, match="redentials") as caught:
            new_writer(bucket)
        assert "credentials" in caught.value.hint


def test_a_run_file_is_plain_json_lines(tmp_path: Path) -> None:
    writer = new_writer(tmp_path)
    writer.append(measurement(1))
    header, line = Path(writer.url).read_text(encoding="utf-8").splitlines()
    assert json.loads(header)["schema"] == records.SCHEMA
    assert json.loads(header)["records"] == []
    assert json.loads(line) == json.loads(msgspec.json.encode(measurement(1)))


class TestWhatIsNoRunFile:
    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("pipe.jsonl", "not a regular file"),
            ("/dev/zero", "not a regular file"),
            ("loop.jsonl", "Too many levels of symbolic links"),
            ("x" * 300 + ".jsonl", "File name too long"),
            (".", "Is a directory"),
        ],
    )
    def test_it_is_a_sentence(self, tmp_path: Path, name: str, words: str) -> None:
        os.mkfifo(tmp_path / "pipe.jsonl")
        (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
        with pytest.raises(UserError, match=words):
            read_run(str(tmp_path / name))

    def test_one_that_is_too_large(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(store_runs, "LARGEST_BYTES", 10)
        with pytest.raises(UserError, match="larger than 10 bytes"):
            read_run(new_writer(tmp_path).url)

    @pytest.mark.parametrize("url", ["://", "file://"])
    def test_an_address_without_a_place(self, url: str) -> None:
        with pytest.raises(UserError, match="names no folder"):
            new_writer(url)


def test_a_run_without_a_record_can_be_discarded(tmp_path: Path) -> None:
    empty, full = new_writer(tmp_path / "empty"), new_writer(tmp_path / "full")
    full.append(measurement())
    for writer in (empty, full):
        writer.discard_if_empty()
    assert list_runs(str(tmp_path / "empty")) == []
    assert list_runs(str(tmp_path / "full")) == [full.url]


def test_a_record_that_could_not_be_kept_is_remembered(tmp_path: Path) -> None:
    writer = new_writer(tmp_path)
    assert writer.trouble is None
    Path(writer.url).unlink()
    with pytest.raises(UserError, match="cannot use"):
        writer.append(measurement())
    assert writer.trouble is not None


class TestGoingOn:
    def test_a_run_that_another_still_writes_is_refused(self, tmp_path: Path) -> None:
        writer = new_writer(tmp_path)
        writer.append(measurement())
        with pytest.raises(UserError, match="another process is writing"):
            RunWriter.reopen(writer.url)
        url = writer.url
        writer.close()
        first = RunWriter.reopen(url)
        with pytest.raises(UserError, match="another process is writing"):
            RunWriter.reopen(url)
        first.append(measurement(1))
        assert len(read_run(url).measurements) == 2

    def test_a_file_system_without_locks_is_no_reason_to_refuse(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(descriptor: int) -> None:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

        monkeypatch.setattr(store_runs, "lock", refuse)
        writer = new_writer(tmp_path)
        RunWriter.reopen(writer.url).append(measurement())
        assert len(read_run(writer.url).measurements) == 1

    def test_what_was_there_before_is_never_discarded(self, tmp_path: Path) -> None:
        url = new_writer(tmp_path).url
        again = RunWriter.reopen(url)
        again.discard()
        again.discard_if_empty()
        assert list_runs(str(tmp_path)) == [url]

    def test_another_machine_torch_or_command_is_refused(self, tmp_path: Path) -> None:
        writer = new_writer(tmp_path)
        run = writer.run
        writer.close()
        for change in ({"chip": "another"}, {"torch": "9.9"}):
            with pytest.raises(UserError, match="that run was made with"):
                continue_run(writer.url, run.command, msgspec.structs.replace(run.environment, **change))
        with pytest.raises(UserError, match="is a run of"):
            continue_run(writer.url, "another", run.environment)
        assert continue_run("last", run.command, run.environment, str(tmp_path)).run == run

    def test_last_is_the_newest_of_the_folder(self, tmp_path: Path) -> None:
        for name in ("20260101", "20260102"):
            (tmp_path / f"{name}.jsonl").touch()
        assert find_run("last", str(tmp_path)).endswith("20260102.jsonl")
        assert find_run("last~1", str(tmp_path)).endswith("20260101.jsonl")
        assert find_run("a/path.jsonl", str(tmp_path)) == "a/path.jsonl"
        with pytest.raises(UserError, match="holds 2 runs"):
            find_run("last~2", str(tmp_path))


def test_an_unknown_protocol_is_not_to_be_installed() -> None:
    with pytest.raises(UserError, match="xyz") as caught:
        read_run("xyz://somewhere/run.jsonl")
    assert "install" not in caught.value.hint


HALTED_IN_ITS_SYNC = """
import os, signal, sys
from torchstone import interrupting
interrupting.install()
from tests.test_store import measurement, new_writer
from pathlib import Path
writer = new_writer(Path(sys.argv[1]))
sync = os.fsync
def interrupted_sync(descriptor):
    os.kill(os.getpid(), signal.SIGTERM)
    sync(descriptor)
os.fsync = interrupted_sync
try:
    writer.append(measurement(1))
except KeyboardInterrupt:
    print(len(writer.run.records), "told")
"""


def test_a_signal_while_a_record_is_made_safe_keeps_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HALTED_IN_ITS_SYNC, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[1])
    assert done.stdout == "1 told\n", done.stderr
    (url,) = list_runs(str(tmp_path))
    assert [one.name for one in read_run(url).measurements] == ["1"]


def test_hints_of_reading_name_no_option_that_only_writers_have(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        read_run(str(tmp_path / "missing.jsonl"))
    assert "--runs" not in caught.value.hint
