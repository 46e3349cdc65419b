"""What the sandbox says of itself on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.sandbox import diagnosis
from assay.sandbox.diagnosis import diagnose_sandbox
from assay.sandbox.languages import get_language, language_names


def test_all_is_well_here(tmp_path: Path) -> None:
    findings = {finding.name: finding for finding in diagnose_sandbox(tmp_path)}
    languages = {get_language(name).title for name in language_names()}
    assert set(findings) == {
        *languages,
        "bubblewrap",
        *("sandbox", "prestarted Pythons", "memory limit", "process limit", "system calls"),
    }
    bad = {finding.name for finding in findings.values() if not finding.ok}
    assert bad <= languages - {"Python", "JavaScript", "Bash"}


def test_a_limit_that_is_not_held_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generous = diagnosis._TRIAL_LIMITS.model_copy(
        update={"memory_bytes": 1 << 30, "processes": 100}
    )
    monkeypatch.setattr(diagnosis, "_TRIAL_LIMITS", generous)
    bad = [finding for finding in diagnose_sandbox(tmp_path) if not finding.ok]
    languages = {get_language(name).title for name in language_names()}
    names = [finding.name for finding in bad if finding.name not in languages]
    assert names == ["memory limit", "process limit"]
    assert all(finding.advice for finding in bad)
