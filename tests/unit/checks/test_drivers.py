"""The drivers run on interpreters that are older than ours, and with nothing but those."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import assay.checks
from assay.checks.pytest_packages import PYTEST_PATH

DRIVERS = sorted((Path(assay.checks.__file__).parent / "drivers").rglob("*.py"))


@pytest.mark.parametrize("driver", DRIVERS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_driver_is_python_3_8_and_imports_the_standard_library_alone(driver: Path) -> None:
    tree = ast.parse(driver.read_text("utf-8"), feature_version=(3, 8))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
        )
    }
    assert imported - sys.stdlib_module_names <= {"assay_tests", "assay_link", "pytest"}


def test_pytest_is_looked_for_where_it_is_bound() -> None:
    """The driver cannot import the constant: nothing of Assay's is inside."""
    (driver,) = [driver for driver in DRIVERS if driver.name == "find_pytest.py"]
    assert f'PYTEST_PATH = "{PYTEST_PATH}"\n' in driver.read_text("utf-8")
