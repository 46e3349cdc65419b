"""pytest for runs: Assay's own copy, bound read-only to the end of their path.

An interpreter or environment that has a pytest of its own finds that first.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

PYTEST_PATH = "/pytest"
"""Where it lies in a sandbox."""

_PACKAGES = ("pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments")
_FOR_OLDER = ("exceptiongroup", "tomli", "typing_extensions")
"""What it needs on a Python before 3.11, where Assay happens to have it."""


@cache
def pytest_binds() -> tuple[tuple[str, str], ...]:
    """(path outside, path inside) of pytest and of what it needs."""
    found = [(name, find_spec(name)) for name in (*_PACKAGES, *_FOR_OLDER)]
    places = [Path(spec.origin) for _, spec in found if spec is not None and spec.origin]
    return tuple((str(path), f"{PYTEST_PATH}/{path.name}") for path in map(_whole, places))


def _whole(origin: Path) -> Path:
    """The folder of a package, the file of a module."""
    return origin.parent if origin.name == "__init__.py" else origin
