"""Tests and examples in JavaScript, which run in the solution's own process."""

from __future__ import annotations

import json
import secrets
from dataclasses import replace

from assay.checks.judge import Ran, verdict_of
from assay.checks.reports import Reports
from assay.checks.rig import Rig, read_drivers
from assay.checks.script_naming import PlacedScripts, place_scripts
from assay.checks.script_tests import ScriptStyle, ScriptTests, is_es_module
from assay.domain.verdict import CheckName, Verdict
from assay.sandbox.protocol import SUPPORT, Job

_DRIVER = "run_tests.mjs"
_REASON = "tests in JavaScript share it"


async def judge_scripts(rig: Rig, check: CheckName, tests: ScriptTests) -> Verdict:
    """Run tests or examples in JavaScript and judge what came of them."""
    nonce = secrets.token_hex(16)
    job = _job(rig, tests, place_scripts(rig, tests), nonce)
    run = await rig.sandbox.run(job)
    reports = Reports.read(tests, run, nonce)
    # Reported with the suites that they stand in; in the file they are known by their own names.
    heard = {name.rsplit(" > ", 1)[-1] for name in reports.heard}
    reports.tests = replace(tests, tests=tuple(name for name in tests.tests if name not in heard))
    return verdict_of(rig, check, Ran(run, job, reports, rig.limits.wall_seconds, None), _REASON)


def _job(rig: Rig, tests: ScriptTests, placed: PlacedScripts, nonce: str) -> Job:
    plan = {
        "nonce": nonce,
        "style": tests.style,
        "name": tests.file.name,
        "solution": placed.solution,
        "isModule": is_es_module(rig.subject.solution.main.source),
        "preload": not placed.imported,
        "file": placed.tests,
        "examples": tests.tests if tests.style is ScriptStyle.EXAMPLES else None,
    }
    driver = f"{SUPPORT}/{_DRIVER}"
    reporter = ("--test-reporter", driver, "--test-reporter-destination", "stdout")
    job = rig.driver_job(_DRIVER, placed.files)
    return replace(
        job,
        command=(rig.toolchain.executable, *reporter, driver),
        support={_DRIVER: read_drivers()[_DRIVER], "tests.json": json.dumps(plan).encode()},
    )
