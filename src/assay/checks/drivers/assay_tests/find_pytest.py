"""Imports what pytest files need, while there is time: the path to it is only given with a plan."""

from __future__ import annotations

import sys

PYTEST_PATH = "/pytest"

sys.path.append(PYTEST_PATH)
from . import in_pytest  # noqa: E402, F401

sys.path.remove(PYTEST_PATH)
