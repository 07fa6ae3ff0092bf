"""What a page holds packed, as its own script reads it."""

import base64
import gzip
import json
import re
from typing import Any


def unpack(text: str) -> str:
    return gzip.decompress(base64.b64decode(text)).decode("utf-8")


def embedded(page: str, element: str) -> Any:
    found = re.search(rf'<script type="text/plain" id="{element}">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(unpack(found.group(1)))
