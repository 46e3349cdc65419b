"""Values, objects and callbacks behave across the link as in one process.

The cases are in tests/cases/link, in the form that tests/case_files.py reads.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.case_files import ProgramCase, read_programs

from assay.checks.drivers.assay_link.remote import Remote

Judge = Callable[[str, str], Remote]


@pytest.mark.parametrize("case", read_programs("link"), ids=lambda case: case.name)
def test_correct_code_passes(judge: Judge, case: ProgramCase) -> None:
    remote = judge(case.files["solution.py"], "\n".join(case.tests))
    assert remote.handles_compared == 0
    assert remote.ended is None
