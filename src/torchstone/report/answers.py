"""What a run answers, as plain data: the headline, what to use, what is broken, what was not done, whether to trust it.

The screen, the page, the post, `--json` and `compare` all take their words from here, so that all of them say the same.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from torchstone.records import REMARK, Device, Run
from torchstone.report.doubting import cut_words
from torchstone.report.headlines import Standing, headline_of
from torchstone.report.holes import Hole, holes_of
from torchstone.report.kept import kept_sentence
from torchstone.report.loads import Load, loads_of
from torchstone.report.names import chip_words, work_of
from torchstone.report.sources import Machine
from torchstone.report.speedups import Speedup, speedups
from torchstone.report.standings import Bar, Contest, bars_by_batch, bars_of, contests_of, declared
from torchstone.report.terminal import format_bytes
from torchstone.report.troubles import NotDone, Trouble, not_done_in, troubles_of
from torchstone.report.trusting import Trust, busy_words, is_made_up, judge_trust
from torchstone.report.using import Use, advise

MOST_REASONS = 3


@dataclass(frozen=True)
class Answers:
    """Of one run."""

    machine: str
    headline: str
    use: Use
    bars: tuple[Bar, ...]
    """Of the device that the headline is about; the CPU's own where there is none."""
    broken: tuple[Trouble, ...]
    not_done: tuple[NotDone, ...]
    trust: Trust
    loads: tuple[Load, ...] = ()
    """The rates that devices keep, where `bench load` looked for them."""
    busy: str = ""
    """What other programs did meanwhile, in words: beside them little is declared."""
    is_made_up: bool = False
    batches: tuple[Bar, ...] = ()
    """Of that device, at every batch."""
    holes: tuple[Hole, ...] = ()
    """The batches at which it gave no right answer."""
    cut: str = ""
    """That the run did not end, and how it goes on."""
    remarks: tuple[str, ...] = ()
    """What was done with a person's own model that it does not say itself, as to measure it in evaluation mode."""

    @property
    def not_done_words(self) -> str:
        """Counted, with the reasons; empty where all was done."""
        return "; ".join(filter(None, [self._counted_words, self.cut]))

    @property
    def _counted_words(self) -> str:
        count = sum(one.count for one in self.not_done)
        if not count:
            return ""
        shown = ", ".join(f"{one.reason} ({one.count})" for one in self.not_done[:MOST_REASONS])
        more = count - sum(one.count for one in self.not_done[:MOST_REASONS])
        return f"{count:,} case{'s' if count != 1 else ''}: {shown}" + (f", other reasons ({more})" if more else "")

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "not_done_words": self.not_done_words}


def answer(machine: Machine) -> Answers:
    return answer_run(machine.run, machine.remarks)


def answer_run(run: Run, remarks: Sequence[str] = ()) -> Answers:
    """Everything at once, from what the run holds."""
    contests = contests_of(run)
    devices = _other_devices(run)
    rows = speedups(run.measurements)
    holes = holes_of(run)
    standings = [_standing(contests, device, rows, holes) for device in devices]
    cpu = Standing("cpu", tuple(declared(bars_of(contests, "cpu"), rows)))
    shown = max((one for one in standings if one.bars), key=_worth, default=cpu)
    troubles, loads = troubles_of(run), loads_of(run)
    return Answers(
        machine=machine_words(run),
        headline=headline_of(run, standings, cpu, loads) + kept_sentence(run.measurements),
        use=advise(run, contests, shown, cpu),
        bars=shown.bars,
        batches=shown.batches,
        holes=shown.holes,
        broken=tuple(troubles),
        not_done=tuple(not_done_in(run)),
        trust=judge_trust(run, rows, remarks),
        loads=tuple(loads),
        busy=busy_words(run),
        is_made_up=is_made_up(run),
        cut=cut_words(run),
        remarks=_remarks(run),
    )


def _standing(contests: Sequence[Contest], device: str, rows: Sequence[Speedup], holes: Sequence[Hole]) -> Standing:
    bars, batches = bars_of(contests, device), bars_by_batch(contests, device)
    own = tuple(one for one in holes if one.device == device)
    return Standing(device, tuple(declared(bars, rows)), tuple(declared(batches, rows)), own)


def _remarks(run: Run) -> tuple[str, ...]:
    """One a model."""
    found = {work_of(one.name).model_words: one.facts[REMARK] for one in run.measurements if one.facts.get(REMARK)}
    return tuple(f"{model}: {words}" for model, words in found.items())


def _worth(standing: Standing) -> tuple[bool, bool, float]:
    settled = standing.settled()
    return bool(settled), standing.is_faster, max((bar.times for bar in settled), default=0.0)


def _other_devices(run: Run) -> list[str]:
    """Those that were measured or listed, the CPU apart."""
    listed = [device.id for device in run.devices if device.kind != "cpu"]
    measured = [one.setup.device for one in run.measurements if one.setup.device != "cpu"]
    return list(dict.fromkeys([*listed, *measured]))


def machine_words(run: Run) -> str:
    """`Apple M4 Max · mps (64.0 GiB shared) and cpu (16 threads) · torch 2.13.0 · 12 min`."""
    found = run.environment
    others = [_device_words(device) for device in run.devices if device.kind != "cpu"]
    devices = " and ".join([*others, f"cpu ({found.threads} thread{'s' if found.threads != 1 else ''})"])
    parts = [chip_words(found.chip), devices, f"torch {found.torch}"]
    return " · ".join([*parts, *_duration_words(run)])


def _device_words(device: Device) -> str:
    shared = " shared" if device.unified_memory else ""
    name = device.name if device.name.lower() != device.id.lower() else device.vendor
    memory = f", {format_bytes(device.memory_bytes)}{shared}" if device.memory_bytes else ""
    return f"{device.id} ({name}{memory})"


def _duration_words(run: Run) -> list[str]:
    """The day that it began; how long it took is known where the run says so."""
    try:
        return [f"{datetime.fromisoformat(run.started):%d %b %Y}"]
    except ValueError:
        return []
