"""What a device can do at most: the cases that there are, and what their records say."""

import pytest
from tests.turns import make_plan, make_turn

from torchstone.experiments import peak
from torchstone.records import Measurement


@pytest.mark.usefixtures("one_thread")
def test_every_device_is_asked_for_products_and_copies() -> None:
    found = [record for case in peak.cases(make_plan("pretend")) for record in case.run(make_turn(0.1))]
    records = [one for one in found if isinstance(one, Measurement)]
    assert {(one.name, one.setup.device) for one in records} >= {
        ("peak/matmul/float32", "cpu"),
        ("peak/matmul/float32", "pretend:0"),
        ("peak/copy", "cpu"),
        ("peak/copy", "pretend:0"),
    }
    assert all(one.quantity == "peak" and min(one.samples) > 0 for one in records if one.status == "ok")
    assert {one.unit for one in records} == {"FLOP/s", "bytes/s"}
