"""What all tests share. No test may call a real model unless it is marked `model`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

CASES = Path(__file__).parent / "cases"


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
        # Where the weights are is the one thing that tests of real models are told.
        if name.endswith(("_API_KEY", "_TOKEN")) or (
            name.startswith("ASSAY_") and name != "ASSAY_CACHE_FOLDER"
        ):
            monkeypatch.delenv(name)
    monkeypatch.setenv("ASSAY_DATA_FOLDER", str(tmp_path / "assay-data"))
    if request.node.get_closest_marker("model") is None:
        monkeypatch.setenv("ASSAY_CACHE_FOLDER", str(tmp_path / "assay-cache"))
        monkeypatch.setenv("ASSAY_ALLOW_MODEL_CALLS", "false")
